import { useSignal } from '@preact/signals'
import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { Integration, Settings } from '../../lib/admin-contract.ts'
import { Segments, Switch } from '../../parts/form.tsx'
import { Button, Icon } from '../../parts/page.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { knobWords, words } from '../../words/access.ts'
import { type Draft, edit } from './draft.ts'
import { broughtBy, goneOf, type Mark, markOf, type Pickable, type PickNode, type Picks, toggled } from './picking.ts'

const WHICH = { all: words.all, picked: words.picked } as const

/** What an integration sees: everything, or what is picked in the tree of the home. */
export function Sees({ stored, draft, home }: { stored: Integration; draft: Draft; home: Pickable }): JSX.Element {
  const { isAll, picks } = draft
  const gone = goneOf(picks, home)
  return (
    <>
      <Segments
        legend={words.sees}
        names={WHICH}
        value={isAll ? 'all' : 'picked'}
        onChange={(which) => edit(stored, { isAll: which === 'all' })}
      />
      <p class="hint">{isAll ? words.allAbout : words.pickedAbout}</p>
      {!isAll && (
        <PickTree home={home} picks={picks} onToggle={(node) => edit(stored, { picks: toggled(node, picks, home) })} />
      )}
      {!isAll && gone.length > 0 && (
        <div class="gone">
          <p class="hint">{words.gone}</p>
          {gone.map((word) => (
            <Button
              key={word}
              class="quiet"
              says={`${words.forget} ${word}`}
              onClick={() => edit(stored, { picks: new Set([...picks].filter((pick) => pick !== word)) })}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** A row whose name fits on one line. */
const ROW_PX = 44

interface PickTreeProps {
  readonly home: Pickable
  readonly picks: Picks
  readonly onToggle: (node: PickNode) => void
}

/**
 * The home as a tree with a box at each thing, after the pattern of the ARIA guide: up and down go from row to row,
 * right and left open and close, space ticks. Rows of what is closed, and those far from what is seen, are not made.
 */
function PickTree({ home, picks, onToggle }: PickTreeProps): JSX.Element {
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
    <div ref={list} class="tree" role="tree" aria-label={words.tree} aria-multiselectable="true" onKeyDown={onKeyDown}>
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
function PickRow({ row, home, picks, isCurrent, onFocus, onOpen, onToggle }: PickRowProps): JSX.Element {
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
      <span class="name">{node.name}</span> {note !== null && <span class="note fine">{note}</span>}
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

/** A row of the tree that can be seen. */
interface Row {
  readonly node: PickNode
  /** From 1. */
  readonly level: number
  /** Words of the rows that it lies beneath. */
  readonly parents: readonly string[]
  /** Its place among its siblings, from 1, and how many they are. */
  readonly place: number
  readonly siblings: number
  readonly isOpen: boolean
}

/** The rows that can be seen while these nodes are open, from top to bottom. */
function rowsOf(
  nodes: readonly PickNode[],
  open: ReadonlySet<string>,
  parents: readonly string[] = [],
): readonly Row[] {
  return nodes.flatMap((node, index) => {
    const isOpen = node.children.length > 0 && open.has(node.word)
    const row = { node, level: parents.length + 1, parents, place: index + 1, siblings: nodes.length, isOpen }
    return isOpen ? [row, ...rowsOf(node.children, open, [...parents, node.word])] : [row]
  })
}

/** The knobs that are on or off, in the order in which they matter. */
const SWITCHED = [
  'allow_unlock',
  'agent_access',
  'cloud_access',
  'automations',
  'schedules',
  'structural',
  'mdns',
] as const
type Switched = (typeof SWITCHED)[number]

/** What an integration may do: each knob as a sentence about what holds now. */
export function May({ stored, draft }: { readonly stored: Integration; readonly draft: Draft }): JSX.Element {
  const { settings } = draft
  const set = (change: Partial<Settings>): void => edit(stored, { settings: { ...settings, ...change } })
  const { name, values, means } = knobWords.knobs.advanced_config
  return (
    <ul class="knobs">
      {SWITCHED.map((knob) => (
        <SwitchedKnob
          key={knob}
          knob={knob}
          value={settings[knob]}
          isOffered={knob !== 'structural' || offersStructure(draft)}
          onChange={(value) => set({ [knob]: value })}
        />
      ))}
      <li class="wide">
        <span class="name">{name}</span>
        <Segments
          legend={name}
          names={values}
          value={settings.advanced_config}
          onChange={(value) => set({ advanced_config: value })}
        />
        <span class="means">{means[settings.advanced_config]}</span>
      </li>
    </ul>
  )
}

interface SwitchedKnobProps {
  readonly knob: Switched
  readonly value: 'on' | 'off'
  readonly isOffered: boolean
  readonly onChange: (value: 'on' | 'off') => void
}

function SwitchedKnob({ knob, value, isOffered, onChange }: SwitchedKnobProps): JSX.Element {
  const id = useId()
  const { name, means } = knobWords.knobs[knob]
  return (
    <li>
      <span class="name">{name}</span>
      <Switch
        label={name}
        on={value === 'on'}
        disabled={!isOffered && value === 'off'}
        onChange={(on) => onChange(on ? 'on' : 'off')}
      />
      <span class="means" id={id}>
        {isOffered ? means[value] : knobWords.structuralNeeds}
      </span>
    </li>
  )
}

/** Spec 2.1: renaming is offered to what sees everything, a floor or a room. */
const offersStructure = ({ isAll, picks }: Draft): boolean =>
  isAll || [...picks].some((word) => word.startsWith('floor:') || word.startsWith('room:'))
