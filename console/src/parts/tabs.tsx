import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact'
import { useId } from 'preact/hooks'
import { useEdges } from './use-edges.ts'

interface Tab {
  readonly id: string
  readonly name: string
}

interface TabsProps {
  /** What one chooses between, for those who listen. */
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
  /** What the chosen tab shows. */
  readonly children: ComponentChildren
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }

/** One of several views. The arrows go from tab to tab; Tab goes on into the view. */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps): JSX.Element {
  const name = useId()
  const strip = useEdges<HTMLDivElement>(chosen)
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
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${name}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${name}-view`}
            tabIndex={tab.id === chosen ? 0 : -1}
            dir="auto"
            onClick={() => onChoose(tab.id)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div id={`${name}-view`} role="tabpanel" aria-labelledby={`${name}-${chosen}`}>
        {children}
      </div>
    </>
  )
}
