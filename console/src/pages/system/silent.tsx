import type { JSX } from 'preact'
import { devicePath } from '../../lib/addresses.ts'
import { unitsOf } from '../../lib/house-units.ts'
import { Age } from '../../parts/age.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { deviceOf, house } from '../../stores/home.ts'
import { words } from '../../words/system.ts'

/** Where the line is lost, none of them does. */
const SHOWN_FIRST = 20

/** The units that do not answer, live, each with where to look. */
export function Silent(): JSX.Element | null {
  const units = house.value === null ? [] : unitsOf(house.value)
  const silent = units.filter(({ id, reachable }) => !(deviceOf(id).value?.reachable ?? reachable))
  const part = useShownPart(silent.length, SHOWN_FIRST)
  if (silent.length === 0) return null
  return (
    <ul class="rows" aria-label={words.silentUnits}>
      {silent.slice(0, part.count).map(({ id, name, lastSeen }) => (
        <li key={id}>
          <a href={devicePath(id)}>{name}</a>
          <span class="muted">
            {lastSeen === null ? (
              words.neverHeard
            ) : (
              <>
                {words.lastHeard} <Age at={lastSeen} />
              </>
            )}
          </span>
        </li>
      ))}
      {part.left > 0 && (
        <li>
          <ShowMore part={part} />
        </li>
      )}
    </ul>
  )
}
