import type { ComponentChildren, JSX, RefObject, TargetedKeyboardEvent } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './page.tsx'

interface Tab {
  readonly id: string
  readonly name: string
}

interface TabsProps {
  /** Label for screen readers. */
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
  /** Content of the chosen tab. */
  readonly children: ComponentChildren
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }

/** A tab list with its view. Arrow keys move between the tabs; Tab moves into the view. */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps): JSX.Element {
  const name = useId()
  const strip = useTabStrip<HTMLDivElement>(chosen)
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ id }) => id === chosen) + step
    const next = Math.min(Math.max(at, 0), tabs.length - 1)
    const [tab, button] = [tabs[next], event.currentTarget.children[next]]
    if (tab) onChoose(tab.id)
    if (button instanceof HTMLElement) button.focus()
  }
  return (
    <>
      <div ref={strip} class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <Button
            key={tab.id}
            label={tab.name}
            role="tab"
            id={`${name}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${name}-view`}
            tabIndex={tab.id === chosen ? 0 : -1}
            dir="auto"
            onClick={() => onChoose(tab.id)}
          />
        ))}
      </div>
      <div id={`${name}-view`} role="tabpanel" aria-labelledby={`${name}-${chosen}`}>
        {children}
      </div>
    </>
  )
}

/**
 * Scrolls the chosen tab of a wide strip into view. `data-before` and `data-after` mark the sides with hidden tabs; the
 * style sheet fades them.
 */
export function useTabStrip<Strip extends HTMLElement>(chosen: string): RefObject<Strip | null> {
  const ref = useRef<Strip>(null)
  useEffect(() => {
    const strip = ref.current
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
    const strip = ref.current
    const tab = strip?.querySelector('[aria-current], [aria-selected="true"]')
    if (!strip || !tab) return
    // `scrollIntoView` would also scroll the page if the strip is out of view.
    const [outer, inner] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()]
    strip.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
    markEdges(strip)
  }, [chosen])
  return ref
}

function markEdges(strip: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = strip
  strip.toggleAttribute('data-before', scrollLeft > 1)
  strip.toggleAttribute('data-after', scrollLeft + clientWidth < scrollWidth - 1)
}
