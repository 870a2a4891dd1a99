import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import type { DevicesShowAnswer } from '../../lib/admin-contract.ts'
import { localIdOf } from '../../lib/addresses.ts'
import { Card } from '../../parts/card.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Problem } from '../../parts/problem.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { accessChanges } from '../../stores/access-changes.ts'
import { revision } from '../../stores/home.ts'
import { homeTime } from '../../stores/home-time.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/device.ts'

/** The scenes and rules that name the device, and the programs that see it. */
export function UsersCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const read = () => admin.call('get', '/admin/v1/devices/{id}', { path: { id: localIdOf(id) } })
  const { value, error, again } = useReading(read, id, revision.value, accessChanges.value)
  return (
    <Card title={words.usersTitle}>
      {error !== null && <Problem error={error} onAgain={again} />}
      {value === null && error === null && <p class="wait">{frame.loading}</p>}
      {value !== null && (
        <>
          <h3>{words.usedBy}</h3>
          {value.usedBy.length === 0 && <p class="hint">{words.usedByNothing}</p>}
          <UsedBy users={value.usedBy} />
          <h3>{words.seenBy}</h3>
          {value.seenBy.length === 0 && <p class="hint">{words.seenByNobody}</p>}
          <ul class="links">
            {value.seenBy.map(({ id: integration, name, enabled }) => (
              <li key={integration}>
                <a href={`/console/access/${integration}`}>{name}</a> {!enabled && <Chip>{words.switchedOff}</Chip>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

/** A light in a large home may be named by hundreds. */
const SHOWN_FIRST = 20

function UsedBy({ users }: { readonly users: DevicesShowAnswer['usedBy'] }): JSX.Element {
  const part = useShownPart(users.length, SHOWN_FIRST)
  return (
    <>
      <ul class="links">
        {users.slice(0, part.count).map(({ kind, id, name, next }) => (
          <li key={`${kind} ${id}`}>
            {name} <Chip>{words.users[kind]}</Chip>{' '}
            {next !== null && <span class="hint">{words.nextAt(homeTime(next))}</span>}
          </li>
        ))}
      </ul>
      <ShowMore part={part} />
    </>
  )
}
