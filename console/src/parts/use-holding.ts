import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

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
