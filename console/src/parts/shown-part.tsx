import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { words } from '../words/frame.ts'

/** The part of a list that is shown. */
interface ShownPart {
  readonly count: number
  /** How many are not shown. */
  readonly left: number
  readonly more: () => void
}

/** The first so many of a list, and as many more each time; `wanted` is the place of one that is shown in any case. */
export function useShownPart(all: number, first: number, wanted = -1): ShownPart {
  const asked = useSignal(first)
  const count = Math.min(all, Math.max(asked.value, wanted + 1))
  return {
    count,
    left: all - count,
    more: () => (asked.value = count + first),
  }
}

/** The way to the rest; nothing where all is shown. */
export function ShowMore({ part: { left, more } }: { readonly part: ShownPart }): JSX.Element | null {
  if (left === 0) return null
  return (
    <button type="button" class="quiet more" onClick={more}>
      {words.showMore(left)}
    </button>
  )
}
