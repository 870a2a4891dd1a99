import type { HouseShowAnswer } from '../../lib/admin-contract.ts'

/** How a node stands while these are picked. */
export function markOf(node: PickNode, picks: Picks, home: Pickable): Mark {
  const beneath = [...allOf(node.children)]
  const isAll = beneath.every(({ word }) => isShown(word, picks, home))
  if (node.kind === 'heading') {
    if (isAll) return 'on'
  } else if (isShown(node.word, picks, home) && (isAll || node.kind !== 'module')) return 'on'
  return beneath.some(({ word }) => isShown(word, picks, home)) ? 'mixed' : 'off'
}

/**
 * The picks after a node was ticked or unticked. What is ticked comes as a whole, with what is added to it later. Where
 * something goes that came with something larger, the larger is taken apart: its other parts stay, each by itself.
 */
export function toggled(node: PickNode, picks: Picks, home: Pickable): Picks {
  const isOn = markOf(node, picks, home) === 'on'
  if (node.kind !== 'heading') return isOn ? without(node, picks, home) : withAll(node, picks, home)
  let next = picks
  for (const child of node.children) next = isOn ? without(child, next, home) : withAll(child, next, home)
  return next
}

/** Whose pick brings a thing that lies elsewhere in the tree: a gang in another room than its module. */
export function broughtBy(node: PickNode, parents: readonly string[], picks: Picks, home: Pickable): string | null {
  const from = home.within.get(node.word)?.find((word) => picks.has(word))
  if (from === undefined || from === node.word || parents.includes(from)) return null
  return home.names.get(from) ?? null
}

/** Picks of what is not in the home now; they hold again should it come back. */
export const goneOf = (picks: Picks, home: Pickable): readonly string[] =>
  [...picks].filter((word) => !home.within.has(word))

const isShown = (word: string, picks: Picks, home: Pickable): boolean =>
  home.within.get(word)?.some((each) => picks.has(each)) ?? false

const brings = (pick: string, word: string, home: Pickable): boolean => home.within.get(word)?.includes(pick) ?? false

/** What comes with it is no pick of its own any more. */
function withAll({ word }: PickNode, picks: Picks, home: Pickable): Picks {
  return new Set([...[...picks].filter((pick) => !brings(word, pick, home)), word])
}

function without(node: PickNode, picks: Picks, home: Pickable): Picks {
  const going = new Set([...allOf([node])].map(({ word }) => word))
  const kept = new Set<string>()
  const waiting = [...picks].filter((pick) => !going.has(pick))
  for (const pick of waiting) {
    const isWhole = ![...going].some((word) => brings(pick, word, home))
    if (isWhole) kept.add(pick)
    else waiting.push(...(home.parts.get(pick) ?? []).filter((part) => !going.has(part)))
  }
  return kept
}

/** What is picked, as words: `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, with local ids. */
export type Picks = ReadonlySet<string>

/** Something that can be picked, or a heading over such things. */
export interface PickNode {
  /** Its word; of a heading, a word that no pick has. */
  readonly word: string
  readonly kind: 'floor' | 'room' | 'unit' | 'module' | 'gang' | 'scene' | 'heading'
  readonly name: string
  readonly children: readonly PickNode[]
}

/** How a node stands: shown with all that is in it, in part, or not. */
export type Mark = 'on' | 'mixed' | 'off'

/** Words over what has no place of its own in the tree. */
interface Headings {
  readonly withoutRoom: string
  readonly scenes: string
}

/** What of a home can be picked, as a tree, and what picks bring (docs/decisions/exposure.md). */
export interface Pickable {
  readonly tree: readonly PickNode[]
  /** The words that bring a thing: its own, its module's, its room's, its floor's. */
  readonly within: ReadonlyMap<string, readonly string[]>
  /** What a pick is taken apart into when one of its things is to go. */
  readonly parts: ReadonlyMap<string, readonly string[]>
  readonly names: ReadonlyMap<string, string>
}

type Unit = HouseShowAnswer['units'][number]

/** Reads the tree of a home: floors with rooms with units with gangs, then what lies in no room, then scenes. */
export function pickableOf(home: HouseShowAnswer, headings: Headings): Pickable {
  const tree = treeOf(home, headings)
  const { within, parts } = bringing(home)
  const names = new Map<string, string>()
  for (const node of allOf(tree)) names.set(node.word, node.name)
  return { tree, within, parts, names }
}

/** A node and all beneath it. */
export function* allOf(nodes: readonly PickNode[]): Generator<PickNode> {
  for (const node of nodes) {
    yield node
    yield* allOf(node.children)
  }
}

function treeOf({ floors, rooms, units, scenes }: HouseShowAnswer, headings: Headings): readonly PickNode[] {
  const unitsIn = (room: string | null): PickNode[] =>
    units.flatMap((unit) => (unit.room === room ? [unitNode(unit)] : gangNodes(unit, room)))
  const roomsOn = (floor: string | null): PickNode[] =>
    rooms
      .filter((room) => room.floor === floor)
      .map(({ id, name }) => ({ word: `room:${id}`, kind: 'room', name, children: unitsIn(id) }))
  const heading = (word: string, name: string, children: readonly PickNode[]): PickNode[] =>
    children.length === 0 ? [] : [{ word, kind: 'heading', name, children }]
  return [
    ...floors.map(({ id, name }): PickNode => ({ word: `floor:${id}`, kind: 'floor', name, children: roomsOn(id) })),
    ...roomsOn(null),
    ...heading('without-room', headings.withoutRoom, unitsIn(null)),
    ...heading(
      'scenes',
      headings.scenes,
      scenes.map(({ id, name }) => ({ word: `scene:${id}`, kind: 'scene', name, children: [] })),
    ),
  ]
}

function unitNode(unit: Unit): PickNode {
  const { id, name, room, gangs } = unit
  return { word: `unit:${id}`, kind: gangs.length === 0 ? 'unit' : 'module', name, children: gangNodes(unit, room) }
}

/** Those gangs of a module that lie in a room: where they switch something, which may not be where the module is. */
function gangNodes({ id, gangs }: Unit, where: string | null): PickNode[] {
  return gangs
    .filter(({ room }) => room === where)
    .map(({ gang, name }) => ({ word: `gang:${id}:${gang}`, kind: 'gang', name, children: [] }))
}

function bringing({ floors, rooms, units, scenes }: HouseShowAnswer): Pick<Pickable, 'within' | 'parts'> {
  const floorOf = new Map(rooms.map(({ id, floor }) => [id, floor]))
  const placeOf = (room: string | null): string[] => {
    const floor = room === null ? null : floorOf.get(room)
    return [...(room === null ? [] : [`room:${room}`]), ...(floor ? [`floor:${floor}`] : [])]
  }
  const within = new Map<string, readonly string[]>()
  const parts = new Map<string, string[]>()
  for (const { id } of floors) {
    within.set(`floor:${id}`, [`floor:${id}`])
    parts.set(
      `floor:${id}`,
      rooms.filter(({ floor }) => floor === id).map((room) => `room:${room.id}`),
    )
  }
  for (const { id } of rooms) {
    within.set(`room:${id}`, placeOf(id))
    parts.set(
      `room:${id}`,
      units.flatMap((unit) => partsInRoom(unit, id)),
    )
  }
  for (const { id, room, gangs } of units) {
    within.set(`unit:${id}`, [`unit:${id}`, ...placeOf(room)])
    parts.set(
      `unit:${id}`,
      gangs.map(({ gang }) => `gang:${id}:${gang}`),
    )
    for (const { gang, room: its } of gangs)
      within.set(`gang:${id}:${gang}`, [`gang:${id}:${gang}`, `unit:${id}`, ...placeOf(its)])
  }
  for (const { id } of scenes) within.set(`scene:${id}`, [`scene:${id}`])
  return { within, parts }
}

/** What a room brings of a unit: all of it, or the gangs that lie in the room while the others lie elsewhere. */
function partsInRoom({ id, room, gangs }: Unit, where: string): string[] {
  if (room === where && gangs.every((gang) => gang.room === where)) return [`unit:${id}`]
  return gangs.filter((gang) => gang.room === where).map(({ gang }) => `gang:${id}:${gang}`)
}
