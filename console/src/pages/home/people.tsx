import type { JSX } from 'preact'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Button, Icon } from '../../parts/page.tsx'
import type { PeopleView } from '../../stores/admin-topics.ts'
import { connected } from '../../stores/home.ts'
import { homeTime } from '../../stores/home-time.ts'
import { people, type PresenceWord, setPresence } from '../../stores/people.ts'
import { words } from '../../words/home.ts'

const PRESENCES = Object.keys(words.presences) as readonly PresenceWord[]

/** The people of the home: a press opens the list, which shows and sets the presence of each. */
export function People(): JSX.Element | null {
  const { run, busy, message } = useAction(setPresence)
  const home = people.value
  if (home === null || home.persons.length === 0) return null
  return (
    <details class="people">
      <summary>
        <Icon name="persons" />
        {words.people}
        <span>{words.anyone[home.anyone.is as PresenceWord]}</span>
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

function PersonLine({ person: { name, is, since }, isOff, onChoose }: PersonLineProps): JSX.Element {
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
            disabled={isOff || !connected.value}
            onClick={() => onChoose(presence)}
          />
        ))}
      </div>
    </li>
  )
}
