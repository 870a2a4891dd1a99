import type { JSX } from 'preact'
import { attentionPath } from '../../attention-path.ts'
import { Age } from '../../parts/age.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { Told } from '../../parts/told.tsx'
import { floors } from '../../stores/floors.ts'
import { connected } from '../../stores/home.ts'
import { status, statusAt } from '../../stores/pushed.ts'
import { words } from '../../words/home.ts'

/** What somebody should look at; nothing where all is well. */
export function Attention(): JSX.Element | null {
  const told = status.value?.attention ?? []
  const part = useShownPart(told.length, SHOWN_FIRST)
  if (told.length === 0) return null
  return (
    <details class="attention" open={told.length <= SHOWN_AT_ONCE}>
      <summary>
        <Icon of="alert" />
        {words.attention(told.length)}
        {!connected.value && statusAt.value !== null && (
          <small>
            {words.asOf} <Age at={statusAt.value} />
          </small>
        )}
      </summary>
      <ul>
        {told.slice(0, part.count).map((each) => (
          <li key={each.what}>
            <a href={attentionPath(each, floors.value)}>
              <Told>{each.what}</Told>
            </a>
          </li>
        ))}
        {part.left > 0 && (
          <li>
            <ShowMore part={part} />
          </li>
        )}
      </ul>
    </details>
  )
}

/** More stay folded, so that the home is not pushed away by them. */
const SHOWN_AT_ONCE = 3
/** Of many devices of another class than the house says each is told. */
const SHOWN_FIRST = 20
