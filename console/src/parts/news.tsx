import type { ReadonlySignal } from '@preact/signals'
import type { JSX } from 'preact'

interface NewsProps {
  readonly feed: { readonly held: ReadonlySignal<readonly unknown[]>; showHeld(): void }
  /** How many there are, as a button says it. */
  readonly words: (count: number) => string
}

/** What came while somebody reads; it is shown when they want it. */
export function News({ feed, words }: NewsProps): JSX.Element | null {
  const count = feed.held.value.length
  if (count === 0) return null
  const show = (): void => {
    window.scrollTo({ top: 0 })
    feed.showHeld()
  }
  return (
    <button type="button" class="main news" onClick={show}>
      {words(count)}
    </button>
  )
}
