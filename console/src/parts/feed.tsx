import type { ReadonlySignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './page.tsx'

interface NewEntriesButtonProps {
  readonly feed: { readonly newEntries: ReadonlySignal<readonly unknown[]>; showNew(): void }
  /** Label for a count of entries. */
  readonly labelFor: (count: number) => string
}

/** Shows the entries that arrived while the list was paused. */
export function NewEntriesButton({ feed, labelFor }: NewEntriesButtonProps): JSX.Element | null {
  const count = feed.newEntries.value.length
  if (count === 0) return null
  const show = (): void => {
    window.scrollTo({ top: 0 })
    feed.showNew()
  }
  return <Button class="main news" label={labelFor(count)} onClick={show} />
}

/** Scrolled further than this, the list stops following new entries. */
const TOP_PX = 120

type Handlers = Pick<JSX.IntrinsicElements['div'], 'onPointerEnter' | 'onPointerLeave' | 'onFocusIn' | 'onFocusOut'>

/** Pauses a feed while the page is scrolled down, or pointer or focus are in the list. */
export function usePauseWhileReading(feed: { setPaused(isPaused: boolean): void }): Handlers {
  const inside = useRef({ pointer: false, focus: false })
  const update = (change: Partial<typeof inside.current> = {}): void => {
    inside.current = { ...inside.current, ...change }
    feed.setPaused(inside.current.pointer || inside.current.focus || window.scrollY > TOP_PX)
  }
  useEffect(() => {
    const onScroll = (): void => update()
    window.addEventListener('scroll', onScroll, { passive: true })
    // A new feed starts paused if the reader is already in the list.
    update()
    return () => window.removeEventListener('scroll', onScroll)
  }, [feed])
  return {
    // Touch has no hovering pointer.
    onPointerEnter: ({ pointerType }) => update({ pointer: pointerType === 'mouse' }),
    onPointerLeave: () => update({ pointer: false }),
    onFocusIn: () => update({ focus: true }),
    onFocusOut: () => update({ focus: false }),
  }
}

/** Keeps the previous feed on the page until the next one has loaded or failed. */
export function useLastLoaded<Feed>(next: Feed, hasSettled: boolean): Feed {
  const visible = useRef(next)
  if (hasSettled) visible.current = next
  return visible.current
}
