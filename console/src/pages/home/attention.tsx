import type { JSX } from 'preact'
import { Icon } from '../../parts/icon.tsx'
import { floors } from '../../stores/floors.ts'
import { now } from '../../stores/gateway-clock.ts'
import { status } from '../../stores/pushed.ts'
import { lowBatteries } from '../../stores/readings.ts'
import { words } from '../../words/home.ts'
import { attentionOf } from './attention-list.ts'

/** What somebody should look at; nothing where all is well. */
export function Attention(): JSX.Element | null {
  const told = attentionOf({
    status: status.value,
    batteries: lowBatteries.value,
    floors: floors.value,
    now: now.value,
  })
  if (told.length === 0) return null
  return (
    <details class="attention" open={told.length <= SHOWN_AT_ONCE}>
      <summary>
        <Icon of="alert" />
        {words.attention(told.length)}
      </summary>
      <ul>
        {told.map(({ id, what, path }) => (
          <li key={id}>
            <a href={path}>{what}</a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** More stay folded, so that the home is not pushed away by them. */
const SHOWN_AT_ONCE = 3
