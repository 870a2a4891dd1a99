import { useSignal } from '@preact/signals'
import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Windowed } from '../../parts/windowed.tsx'
import type { Pickable, PickNode, Picks } from './pickable.ts'
import { markOf } from './picking.ts'
import { PickRow } from './pick-row.tsx'
import { type Row, rowsOf } from './pick-rows.ts'

/** A row whose name fits on one line. */
const ROW_PX = 44

interface PickTreeProps {
  readonly label: string
  readonly home: Pickable
  readonly picks: Picks
  readonly onToggle: (node: PickNode) => void
}

/**
 * The home as a tree with a box at each thing, after the pattern of the ARIA guide: up and down go from row to row,
 * right and left open and close, space ticks. Rows of what is closed, and those far from what is seen, are not made.
 */
export function PickTree({ label, home, picks, onToggle }: PickTreeProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null)
  // What is picked in part is open at first, so that the picks can be seen.
  const open = useSignal<ReadonlySet<string>>(firstOpen(home, picks))
  const current = useSignal(home.tree[0]?.word ?? '')
  const rows = rowsOf(home.tree, open.value)
  // Tab leads to the row that had the focus last; where that is gone, to the first.
  const at = Math.max(
    rows.findIndex(({ node }) => node.word === current.value),
    0,
  )
  const isMoving = useRef(false)
  const focusCurrent = (): void => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  const focus = (index: number): void => {
    const { word } = rows[Math.min(Math.max(index, 0), rows.length - 1)]?.node ?? { word: current.value }
    if (word === current.value) return focusCurrent()
    // It may be far away, and is made first.
    isMoving.current = true
    current.value = word
  }
  useLayoutEffect(() => {
    if (isMoving.current) focusCurrent()
    isMoving.current = false
  })
  const setOpen = ({ word }: PickNode, isOpen: boolean): void => {
    const others = [...open.value].filter((each) => each !== word)
    open.value = new Set(isOpen ? [...others, word] : others)
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const row = rows[at]
    const act = row && keyActs(row, at, rows, { focus, setOpen, onToggle })[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <div ref={list} class="tree" role="tree" aria-label={label} aria-multiselectable="true" onKeyDown={onKeyDown}>
      <Windowed items={rows} rowPx={ROW_PX} kept={at}>
        {(row, place) => (
          <PickRow
            key={row.node.word}
            row={row}
            home={home}
            picks={picks}
            isCurrent={place === at}
            onFocus={() => (current.value = row.node.word)}
            onOpen={(isOpen) => setOpen(row.node, isOpen)}
            onToggle={() => onToggle(row.node)}
          />
        )}
      </Windowed>
    </div>
  )
}

interface Moves {
  readonly focus: (index: number) => void
  readonly setOpen: (node: PickNode, isOpen: boolean) => void
  readonly onToggle: (node: PickNode) => void
}

/** What each key does at a row. */
function keyActs(
  { node, isOpen, level }: Row,
  at: number,
  rows: readonly Row[],
  { focus, setOpen, onToggle }: Moves,
): Readonly<Record<string, () => void>> {
  const parent = rows.findLastIndex((row, index) => index < at && row.level < level)
  const hasChildren = node.children.length > 0
  return {
    ArrowDown: () => focus(at + 1),
    ArrowUp: () => focus(at - 1),
    Home: () => focus(0),
    End: () => focus(rows.length - 1),
    ArrowRight: () => {
      if (hasChildren && !isOpen) setOpen(node, true)
      else if (hasChildren) focus(at + 1)
    },
    ArrowLeft: () => {
      if (isOpen) setOpen(node, false)
      else if (parent >= 0) focus(parent)
    },
    ' ': () => onToggle(node),
    Enter: () => onToggle(node),
  }
}

function firstOpen(home: Pickable, picks: Picks): ReadonlySet<string> {
  const isPartly = (node: PickNode): boolean => markOf(node, picks, home) === 'mixed'
  const opened = (nodes: readonly PickNode[]): string[] =>
    nodes.filter(isPartly).flatMap((node) => [node.word, ...opened(node.children)])
  return new Set(opened(home.tree))
}
