import type { JSX } from 'preact'
import { Icon } from '../../parts/icon.tsx'
import { words } from '../../words/access.ts'
import type { Mark, Pickable, PickNode, Picks } from './pickable.ts'
import { broughtBy, markOf } from './picking.ts'
import type { Row } from './pick-rows.ts'

interface PickRowProps {
  readonly row: Row
  readonly home: Pickable
  readonly picks: Picks
  /** Whether Tab leads to this row. */
  readonly isCurrent: boolean
  /** However the focus came: by a key, a press, or a screen reader. */
  readonly onFocus: () => void
  readonly onOpen: (isOpen: boolean) => void
  readonly onToggle: () => void
}

/** A thing that can be picked, with its box; the arrow opens what is in it. */
export function PickRow({ row, home, picks, isCurrent, onFocus, onOpen, onToggle }: PickRowProps): JSX.Element {
  const { node, level, parents, place, siblings, isOpen } = row
  const mark = markOf(node, picks, home)
  const hasChildren = node.children.length > 0
  const note = noteOf(row, mark, picks, home)
  return (
    <div
      class="pick"
      data-kind={node.kind}
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-checked={mark === 'mixed' ? 'mixed' : mark === 'on'}
      aria-expanded={hasChildren ? isOpen : undefined}
      data-parents={parents.length}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onClick={onToggle}
    >
      <span
        class="twist"
        onClick={(event) => {
          if (!hasChildren) return
          event.stopPropagation()
          onOpen(!isOpen)
        }}
      >
        {hasChildren && <Icon of={isOpen ? 'down' : 'right'} />}
      </span>
      <span class={`box ${mark}`}>{mark === 'on' && <Icon of="check" />}</span>
      <span class="name">{node.name}</span> {note !== null && <span class="note">{note}</span>}
    </div>
  )
}

/** What a row says beside its name: how much of it is shown, or why it is. */
function noteOf({ node, parents }: Row, mark: Mark, picks: Picks, home: Pickable): string | null {
  const elsewhere = mark === 'on' ? broughtBy(node, parents, picks, home) : null
  if (elsewhere !== null) return words.with(elsewhere)
  if (mark === 'mixed') {
    const shown = node.children.filter((child) => markOf(child, picks, home) !== 'off').length
    return words.mixed(shown, node.children.length)
  }
  if (mark === 'on' && picks.has(node.word) && isPlace(node)) return words.pickedHere
  return node.children.length === 0 ? null : countOf(node)
}

const isPlace = ({ kind }: PickNode): boolean => kind === 'floor' || kind === 'room'

function countOf({ kind, children }: PickNode): string {
  if (kind === 'floor') return words.rooms(children.length)
  return kind === 'module' ? words.parts.gang(children.length) : words.things(children.length)
}
