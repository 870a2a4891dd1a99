import type { JSX } from 'preact'
import { unitsOf } from '../../house-units.ts'
import { Age } from '../../parts/age.tsx'
import { deviceOf, house } from '../../stores/home.ts'
import { words } from '../../words/system.ts'

/** The units that do not answer, live, each with where to look. */
export function Silent(): JSX.Element | null {
  const home = house.value
  if (home === null) return null
  const silent = unitsOf(home).filter(({ id, reachable }) => !(deviceOf(id).value?.reachable ?? reachable))
  if (silent.length === 0) return null
  return (
    <ul class="rows" aria-label={words.silentUnits}>
      {silent.map(({ id, name, lastSeen }) => (
        <li key={id}>
          <a href={`/console/device/${id}`}>{name}</a>
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
    </ul>
  )
}
