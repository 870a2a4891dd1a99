import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Age } from '../../parts/age.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { Told } from '../../parts/told.tsx'
import { attentionPath } from '../../stores/floor-views.ts'
import { floors } from '../../stores/floors.ts'
import { connected } from '../../stores/home.ts'
import { status, statusAt } from '../../stores/pushed.ts'
import { words } from '../../words/home.ts'

interface AttentionProps {
  /**
   * True: it stands folded in the line of the title, for what came after the page was drawn. False: it stands above the
   * rooms and keeps its height. Tiles move for neither.
   */
  readonly isLate: boolean
}

/** The things that somebody should look at. */
export function Attention({ isLate }: AttentionProps): JSX.Element | null {
  const own = useRef<HTMLDetailsElement>(null)
  const items = status.value?.attention ?? []
  const part = useShownPart(items.length, SHOWN_FIRST)
  const isOpen = useMemo(() => !isLate && items.length <= SHOWN_AT_ONCE, [])
  const keepHeight = (): void => {
    if (own.current === null || isLate) return
    own.current.style.height = ''
    own.current.style.height = `${own.current.offsetHeight}px`
  }
  useEffect(() => {
    keepHeight()
    addEventListener('resize', keepHeight)
    return () => removeEventListener('resize', keepHeight)
  }, [])
  if (isLate && items.length === 0) return null
  return (
    <details ref={own} class={isLate ? 'attention late' : 'attention'} open={isOpen} onToggle={keepHeight}>
      <summary>
        <Icon of={items.length > 0 ? 'alert' : 'check'} />
        {items.length > 0 ? words.attention(items.length) : words.attentionOver}
        {!connected.value && statusAt.value !== null && (
          <small>
            {words.asOf} <Age at={statusAt.value} />
          </small>
        )}
      </summary>
      <ul>
        {items.slice(0, part.count).map((each) => (
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
