import type { JSX } from 'preact'
import { Segments, Switch } from '../../parts/form.tsx'
import { people } from '../../stores/people.ts'
import { words } from '../../words/access.ts'
import { type DraftProps, edit } from './draft.ts'

/** Edits the visibility of people, and the persons whose presence the integration may report. */
export function PeopleEditor({ stored, draft }: DraftProps): JSX.Element {
  const { reports } = draft
  const toggle = (id: string, on: boolean): void =>
    edit(stored, { reports: [...reports.filter((other) => other !== id), ...(on ? [id] : [])] })
  return (
    <>
      <Segments
        legend={words.people}
        names={words.peopleChoices}
        value={draft.people}
        onChange={(visible) => edit(stored, { people: visible })}
      />
      <p class="hint">{words.peopleMean[draft.people]}</p>
      <ul class="knobs">
        {people.value?.persons.map(({ id, name }) => (
          <li key={id}>
            <span class="name">{words.mayReport(name)}</span>
            <Switch label={words.mayReport(name)} on={reports.includes(id)} onChange={(on) => toggle(id, on)} />
          </li>
        ))}
      </ul>
    </>
  )
}
