import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * A strip of tabs that may be wider than the screen: the chosen one is in sight, and a side that has more says so
 * (`data-before`, `data-after`), where the style sheet lets it fade.
 */
export function useEdges<Strip extends HTMLElement>(chosen: string): RefObject<Strip | null> {
  const own = useRef<Strip>(null)
  useEffect(() => {
    const strip = own.current
    if (strip === null) return
    const mark = (): void => markEdges(strip)
    const size = new ResizeObserver(mark)
    size.observe(strip)
    strip.addEventListener('scroll', mark, { passive: true })
    return () => {
      size.disconnect()
      strip.removeEventListener('scroll', mark)
    }
  }, [])
  useEffect(() => {
    const strip = own.current
    const tab = strip?.querySelector('[aria-current], [aria-selected="true"]')
    if (!strip || !tab) return
    // `scrollIntoView` would move the page too, where the strip itself is out of sight.
    const [outer, inner] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()]
    strip.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
    markEdges(strip)
  }, [chosen])
  return own
}

function markEdges(strip: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = strip
  strip.toggleAttribute('data-before', scrollLeft > 1)
  strip.toggleAttribute('data-after', scrollLeft + clientWidth < scrollWidth - 1)
}
