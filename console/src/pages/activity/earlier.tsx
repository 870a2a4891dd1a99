import type { Signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { AdminActivityEntry } from '../../lib/admin-contract.ts'
import { inHome } from '../../stores/home-time.ts'
import { words } from '../../words/activity.ts'

interface EarlierProps {
  readonly newest: AdminActivityEntry
  readonly entries: readonly AdminActivityEntry[]
  /** Ids of what is unfolded: what happens anew, or is read further back, joins it as it is. */
  readonly unfolded: Signal<ReadonlySet<string>>
  /** The entries themselves, made only once they are unfolded. */
  readonly children: () => ComponentChildren
}

/** How often the same happened before, and each of them once that is asked for. */
export function Earlier({ newest, entries, unfolded, children }: EarlierProps): JSX.Element {
  const id = useId()
  const ids = [newest, ...entries].map((each) => each.id)
  const isOpen = ids.some((each) => unfolded.value.has(each))
  const toggle = (): void => {
    const others = [...unfolded.value].filter((each) => !ids.includes(each))
    unfolded.value = new Set(isOpen ? others : [...others, ...ids])
  }
  const [oldest = newest] = entries.slice(-1)
  return (
    <>
      <button type="button" class="quiet times" aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
        {words.times(ids.length, inHome(oldest.at, { hour: '2-digit', minute: '2-digit' }))}
      </button>
      <ol id={id} class="earlier" hidden={!isOpen}>
        {isOpen && children()}
      </ol>
    </>
  )
}
