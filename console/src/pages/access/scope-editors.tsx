import { useSignal } from '@preact/signals'
import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { Settings } from '../../lib/admin-contract.ts'
import { Segments, Switch } from '../../parts/form.tsx'
import { Button, Icon } from '../../parts/page.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { doorWords, knobWords, words } from '../../words/access.ts'
import { type Doors, DoorsEditor, doorFields, doorsOf } from './doors-editor.tsx'
import { type Draft, type DraftProps, edit } from './draft.ts'
import {
  includedBy,
  type Mark,
  markOf,
  missingPicks,
  type Pickable,
  type PickNode,
  type Picks,
  togglePick,
} from './picking.ts'

const MODES = { all: words.all, picked: words.picked } as const

interface ExposureEditorProps {
  readonly isAll: boolean
  readonly picks: Picks
  readonly home: Pickable
  readonly onChange: (change: { readonly isAll?: boolean; readonly picks?: Picks }) => void
}

/** Edits an exposure: everything, or the picks in a tree of the home. */
export function ExposureEditor({ isAll, picks, home, onChange }: ExposureEditorProps): JSX.Element {
  const toggle = (node: PickNode): void => onChange({ picks: togglePick(node, picks, home) })
  const missing = missingPicks(picks, home)
  return (
    <>
      <Segments
        legend={words.sees}
        names={MODES}
        value={isAll ? 'all' : 'picked'}
        onChange={(mode) => onChange({ isAll: mode === 'all' })}
      />
      <p class="hint">{isAll ? words.allAbout : words.pickedAbout}</p>
      {!isAll && <PickTree home={home} picks={picks} onToggle={toggle} />}
      {!isAll && missing.length > 0 && (
        <div class="gone">
          <p class="hint">{words.missing}</p>
          {missing.map((key) => (
            <Button
              key={key}
              class="quiet"
              label={`${words.forget} ${key}`}
              onClick={() => onChange({ picks: new Set([...picks].filter((pick) => pick !== key)) })}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** Height of a row with one line. */
const ROW_PX = 44

interface PickTreeProps {
  readonly home: Pickable
  readonly picks: Picks
  readonly onToggle: (node: PickNode) => void
}

/**
 * The home as a tree with checkboxes, with the keys of the ARIA tree pattern. Only visible rows and their neighbours
 * are rendered.
 */
function PickTree({ home, picks, onToggle }: PickTreeProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null)
  // Partly picked nodes start open, so that their picks are visible.
  const open = useSignal<ReadonlySet<string>>(initiallyOpen(home, picks))
  const current = useSignal(home.tree[0]?.key ?? '')
  const rows = rowsOf(home.tree, open.value)
  // Tab returns to the last focused row, or to the first if that row is gone.
  const at = Math.max(
    rows.findIndex(({ node }) => node.key === current.value),
    0,
  )
  const isMoving = useRef(false)
  const focusCurrent = (): void => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  const focus = (index: number): void => {
    const { key } = rows[Math.min(Math.max(index, 0), rows.length - 1)]?.node ?? { key: current.value }
    if (key === current.value) return focusCurrent()
    // The row may not be rendered yet.
    isMoving.current = true
    current.value = key
  }
  useLayoutEffect(() => {
    if (isMoving.current) focusCurrent()
    isMoving.current = false
  })
  const setOpen = ({ key }: PickNode, isOpen: boolean): void => {
    const rest = [...open.value].filter((other) => other !== key)
    open.value = new Set(isOpen ? [...rest, key] : rest)
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const row = rows[at]
    const act = row && keyActions(row, at, rows, { focus, setOpen, onToggle })[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <div ref={list} class="tree" role="tree" aria-label={words.tree} aria-multiselectable="true" onKeyDown={onKeyDown}>
      <Windowed items={rows} rowPx={ROW_PX} pinned={at}>
        {(row, index) => (
          <PickRow
            key={row.node.key}
            row={row}
            home={home}
            picks={picks}
            isCurrent={index === at}
            onFocus={() => (current.value = row.node.key)}
            onOpen={(isOpen) => setOpen(row.node, isOpen)}
            onToggle={() => onToggle(row.node)}
          />
        )}
      </Windowed>
    </div>
  )
}

interface TreeActions {
  readonly focus: (index: number) => void
  readonly setOpen: (node: PickNode, isOpen: boolean) => void
  readonly onToggle: (node: PickNode) => void
}

/** Actions by key for a row. */
function keyActions(
  { node, isOpen, level }: Row,
  at: number,
  rows: readonly Row[],
  { focus, setOpen, onToggle }: TreeActions,
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

function initiallyOpen(home: Pickable, picks: Picks): ReadonlySet<string> {
  const isPartly = (node: PickNode): boolean => markOf(node, picks, home) === 'mixed'
  const opened = (nodes: readonly PickNode[]): string[] =>
    nodes.filter(isPartly).flatMap((node) => [node.key, ...opened(node.children)])
  return new Set(opened(home.tree))
}

interface PickRowProps {
  readonly row: Row
  readonly home: Pickable
  readonly picks: Picks
  /** True if Tab leads to this row. */
  readonly isCurrent: boolean
  readonly onFocus: () => void
  readonly onOpen: (isOpen: boolean) => void
  readonly onToggle: () => void
}

/** A row with its checkbox; the arrow opens its children. */
function PickRow({ row, home, picks, isCurrent, onFocus, onOpen, onToggle }: PickRowProps): JSX.Element {
  const { node, level, parents, position, siblings, isOpen } = row
  const mark = markOf(node, picks, home)
  const hasChildren = node.children.length > 0
  const note = noteOf(row, mark, picks, home)
  return (
    <div
      class="pick"
      data-kind={node.kind}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
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
        {hasChildren && <Icon name={isOpen ? 'down' : 'right'} />}
      </span>
      <span class={`box ${mark}`}>{mark === 'on' && <Icon name="check" />}</span>
      <span class="name">{node.name}</span> {note !== null && <span class="note fine">{note}</span>}
    </div>
  )
}

/** Note next to a name: how much of the node is visible, or why it is visible. */
function noteOf({ node, parents }: Row, mark: Mark, picks: Picks, home: Pickable): string | null {
  const elsewhere = mark === 'on' ? includedBy(node, parents, picks, home) : null
  if (elsewhere !== null) return words.with(elsewhere)
  if (mark === 'mixed') {
    const visible = node.children.filter((child) => markOf(child, picks, home) !== 'off').length
    return words.mixed(visible, node.children.length)
  }
  if (mark === 'on' && picks.has(node.key) && isPlace(node)) return words.pickedHere
  return node.children.length === 0 ? null : countOf(node)
}

const isPlace = ({ kind }: PickNode): boolean => kind === 'floor' || kind === 'room'

function countOf({ kind, children }: PickNode): string {
  if (kind === 'floor') return words.rooms(children.length)
  return kind === 'module' ? words.parts.gang(children.length) : words.things(children.length)
}

/** A visible row of the tree. */
interface Row {
  readonly node: PickNode
  /** From 1. */
  readonly level: number
  /** Keys of the parent rows. */
  readonly parents: readonly string[]
  /** Position among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
  readonly isOpen: boolean
}

/** Visible rows from top to bottom. */
function rowsOf(
  nodes: readonly PickNode[],
  open: ReadonlySet<string>,
  parents: readonly string[] = [],
): readonly Row[] {
  return nodes.flatMap((node, index) => {
    const isOpen = node.children.length > 0 && open.has(node.key)
    const row = { node, level: parents.length + 1, parents, position: index + 1, siblings: nodes.length, isOpen }
    return isOpen ? [row, ...rowsOf(node.children, open, [...parents, node.key])] : [row]
  })
}

/** Knobs with the values on and off, the most important first. */
const SWITCHED = ['agent_access', 'cloud_access', 'automations', 'schedules', 'may_tell', 'structural', 'mdns'] as const
type Switched = (typeof SWITCHED)[number]

/** Edits the knobs of an integration, with the meaning of their current values. */
export function KnobEditor({ stored, draft }: DraftProps): JSX.Element {
  const { settings } = draft
  const set = (change: Partial<Settings>): void => edit(stored, { settings: { ...settings, ...change } })
  const setDoors = (doors: Doors): void => {
    const fields = doorFields(doors, draft.base)
    edit(stored, { ...fields, settings: { ...settings, ...fields.settings } })
  }
  const { name, values, means } = knobWords.knobs.advanced_config
  return (
    <ul class="knobs">
      <li class="wide">
        <span class="name">{doorWords.title}</span>
        <DoorsEditor doors={doorsOf(draft)} byPin={stored.kind === 'tablet'} onChange={setDoors} />
      </li>
      {SWITCHED.filter((knob) => knob !== 'mdns' || stored.kind === 'programs').map((knob) => (
        <SwitchedKnob
          key={knob}
          knob={knob}
          value={settings[knob]}
          isAvailable={knob !== 'structural' || mayOfferRenaming(draft)}
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
  readonly isAvailable: boolean
  readonly onChange: (value: 'on' | 'off') => void
}

function SwitchedKnob({ knob, value, isAvailable, onChange }: SwitchedKnobProps): JSX.Element {
  const id = useId()
  const { name, means } = knobWords.knobs[knob]
  return (
    <li>
      <span class="name">{name}</span>
      <Switch
        label={name}
        on={value === 'on'}
        disabled={!isAvailable && value === 'off'}
        onChange={(on) => onChange(on ? 'on' : 'off')}
      />
      <span class="means" id={id}>
        {isAvailable ? means[value] : knobWords.structuralNeeds}
      </span>
    </li>
  )
}

/** Spec 2.1: only integrations that see everything, a floor or a room may rename. */
const mayOfferRenaming = ({ isAll, picks }: Draft): boolean =>
  isAll || [...picks].some((key) => key.startsWith('floor:') || key.startsWith('room:'))
