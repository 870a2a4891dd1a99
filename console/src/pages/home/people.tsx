import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { ErrorLine, Loading, useAction } from '../../parts/action.tsx'
import { Button, Icon } from '../../parts/page.tsx'
import type { PeopleView } from '../../stores/admin-topics.ts'
import { connected } from '../../stores/home.ts'
import { homeTime } from '../../stores/home-time.ts'
import { isAdministrator, record } from '../../stores/own-session.ts'
import { maySetPresence, people, presenceOf, type PresenceWord, setPresence } from '../../stores/people.ts'
import { useResource } from '../../stores/use-resource.ts'
import { words } from '../../words/home.ts'

const PRESENCES = Object.keys(words.presences) as readonly PresenceWord[]

/** The people of the home: a press opens the list, which shows and sets the presence of each. */
export function People(): JSX.Element | null {
  const { run, busy, message } = useAction(setPresence)
  const home = people.value
  if (home === null) return null
  const anyone = words.anyone[home.anyone.is as PresenceWord]
  if (home.persons.length === 0)
    return record.value?.people === 'anyone' ? <p class="muted">{`${words.people} ${anyone}`}</p> : null
  return (
    <details class="people">
      <summary>
        <Icon name="persons" />
        {words.people}
        <span>{anyone}</span>
      </summary>
      <ul>
        {home.persons.map((person) => (
          <PersonLine key={person.id} person={person} isOff={busy} onChoose={(is) => void run(person.id, is)} />
        ))}
      </ul>
      <ErrorLine message={message} />
    </details>
  )
}

interface PersonLineProps {
  readonly person: PeopleView['persons'][number]
  readonly isOff: boolean
  readonly onChoose: (is: PresenceWord) => void
}

function PersonLine({ person: { id, name, is, since }, isOff, onChoose }: PersonLineProps): JSX.Element {
  const isOpen = useSignal(false)
  return (
    <li>
      <span class="grow">
        <span dir="auto">{name}</span> {since !== null && <small>{words.presenceSince(homeTime(since))}</small>}
      </span>
      <div class="ends">
        {PRESENCES.map((presence) => (
          <Button
            key={presence}
            class="quiet"
            label={words.presences[presence]}
            aria-label={`${name}: ${words.presences[presence]}`}
            aria-pressed={presence === is}
            disabled={isOff || !connected.value || !maySetPresence(id)}
            onClick={() => onChoose(presence)}
          />
        ))}
      </div>
      {isAdministrator.value && (
        <details class="changes" onToggle={({ currentTarget: { open } }) => (isOpen.value = open)}>
          <summary aria-label={`${name}: ${words.presenceHistory}`}>{words.presenceHistory}</summary>
          {isOpen.value && <History id={id} since={since} />}
        </details>
      )}
    </li>
  )
}

/** Changes of the last 7 days, newest first, each with its source. `since` is the time of the newest one. */
function History({ id, since }: { readonly id: string; readonly since: number | null }): JSX.Element {
  const { value, error, reload } = useResource(() => presenceOf(id), since)
  if (value === null) return <Loading error={error} reload={reload} />
  if (value.history.length === 0) return <p class="muted">{words.presenceNoHistory}</p>
  return (
    <table>
      <tbody>
        {value.history.map(({ at, is, source }) => (
          <tr key={at}>
            <td>{homeTime(at)}</td>
            <td>{words.presences[is]}</td>
            <td dir="auto">{source}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
