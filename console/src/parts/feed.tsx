import type { ReadonlySignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './page.tsx'

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
  return <Button class="main news" says={words(count)} onClick={show} />
}

/** Further down than this somebody reads what was, and not what comes. */
const TOP_PX = 120

type Handlers = Pick<JSX.IntrinsicElements['div'], 'onPointerEnter' | 'onPointerLeave' | 'onFocusIn' | 'onFocusOut'>

/** Holds a feed while somebody is at it: scrolled down, with the pointer over it, or with the focus in it. */
export function useHolding(feed: { hold(isHeld: boolean): void }): Handlers {
  const at = useRef({ pointer: false, focus: false })
  const judge = (change: Partial<typeof at.current> = {}): void => {
    at.current = { ...at.current, ...change }
    feed.hold(at.current.pointer || at.current.focus || window.scrollY > TOP_PX)
  }
  useEffect(() => {
    const onScroll = (): void => judge()
    window.addEventListener('scroll', onScroll, { passive: true })
    // Whoever is at it already is at this feed, too.
    judge()
    return () => window.removeEventListener('scroll', onScroll)
  }, [feed])
  return {
    // A finger leaves nothing over the page.
    onPointerEnter: ({ pointerType }) => judge({ pointer: pointerType === 'mouse' }),
    onPointerLeave: () => judge({ pointer: false }),
    onFocusIn: () => judge({ focus: true }),
    onFocusOut: () => judge({ focus: false }),
  }
}

/**
 * What a page shows of a feed: the one that is wanted once it was read, or could not be; until then the one of before,
 * so that nothing goes away before what comes in its place is there.
 */
export function useLastRead<Feed>(wanted: Feed, isSettled: boolean): Feed {
  const shown = useRef(wanted)
  if (isSettled) shown.current = wanted
  return shown.current
}
