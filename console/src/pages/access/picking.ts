import type { HouseShowAnswer } from '../../lib/admin-contract.ts'

/** Checkbox state of a node. */
export function markOf(node: PickNode, picks: Picks, home: Pickable): Mark {
  const below = [...allOf(node.children)]
  const isAll = below.every(({ key }) => isVisible(key, picks, home))
  if (node.kind === 'heading') {
    if (isAll) return 'on'
  } else if (isVisible(node.key, picks, home) && (isAll || node.kind !== 'module')) return 'on'
  return below.some(({ key }) => isVisible(key, picks, home)) ? 'mixed' : 'off'
}

/**
 * Ticks or unticks a node. A tick picks the node as a whole, including later additions. Unticking a part of a picked
 * node replaces that pick with picks of its other parts.
 */
export function togglePick(node: PickNode, picks: Picks, home: Pickable): Picks {
  const isOn = markOf(node, picks, home) === 'on'
  if (node.kind !== 'heading') return isOn ? removePick(node, picks, home) : addPick(node, picks, home)
  let next = picks
  for (const child of node.children) next = isOn ? removePick(child, next, home) : addPick(child, next, home)
  return next
}

/** Name of the pick elsewhere in the tree that includes a node: a gang may be in another room than its module. */
export function includedBy(node: PickNode, parents: readonly string[], picks: Picks, home: Pickable): string | null {
  const source = home.coveredBy.get(node.key)?.find((key) => picks.has(key))
  if (source === undefined || source === node.key || parents.includes(source)) return null
  return home.names.get(source) ?? null
}

/** Picks of things that left the home; they apply again if the thing returns. */
export const missingPicks = (picks: Picks, home: Pickable): readonly string[] =>
  [...picks].filter((key) => !home.coveredBy.has(key))

const isVisible = (key: string, picks: Picks, home: Pickable): boolean =>
  home.coveredBy.get(key)?.some((pick) => picks.has(pick)) ?? false

const covers = (pick: string, key: string, home: Pickable): boolean => home.coveredBy.get(key)?.includes(pick) ?? false

/** Adds a pick and removes picks that it covers. */
function addPick({ key }: PickNode, picks: Picks, home: Pickable): Picks {
  return new Set([...[...picks].filter((pick) => !covers(key, pick, home)), key])
}

function removePick(node: PickNode, picks: Picks, home: Pickable): Picks {
  const removed = new Set([...allOf([node])].map(({ key }) => key))
  const remaining = new Set<string>()
  const queue = [...picks].filter((pick) => !removed.has(pick))
  for (const pick of queue) {
    const isUnaffected = ![...removed].some((key) => covers(pick, key, home))
    if (isUnaffected) remaining.add(pick)
    else queue.push(...(home.parts.get(pick) ?? []).filter((part) => !removed.has(part)))
  }
  return remaining
}

/**
 * Keys of picked things: `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`,
 * `calendar:ID`, `mode`; ids are local.
 */
export type Picks = ReadonlySet<string>

/** A thing that can be picked, or a heading over several. */
export interface PickNode {
  /** Key of the thing in picks; headings have keys that no pick has. */
  readonly key: string
  readonly kind: 'floor' | 'room' | 'unit' | 'module' | 'gang' | 'scene' | 'group' | 'calendar' | 'mode' | 'heading'
  readonly name: string
  readonly children: readonly PickNode[]
}

/** Checkbox state: visible as a whole, partly visible, or hidden. */
export type Mark = 'on' | 'mixed' | 'off'

/** Headings for things outside rooms. */
interface Headings {
  readonly withoutRoom: string
  readonly scenes: string
  readonly groups: string
  readonly calendars: string
  /** Name of the mode of the home. */
  readonly mode: string
}

/** Tree of the things that can be picked, and the coverage of picks (docs/decisions/exposure.md). */
export interface Pickable {
  readonly tree: readonly PickNode[]
  /** Keys of the picks that include a thing: its own key, and the keys of its module, room and floor. */
  readonly coveredBy: ReadonlyMap<string, readonly string[]>
  /** Smaller picks that together replace a larger one. */
  readonly parts: ReadonlyMap<string, readonly string[]>
  readonly names: ReadonlyMap<string, string>
}

type Unit = HouseShowAnswer['units'][number]

/** Builds the tree: floors with rooms, units and gangs, then units without a room, then scenes and groups. */
export function pickableOf(home: HouseShowAnswer, headings: Headings): Pickable {
  const tree = treeOf(home, headings)
  const { coveredBy, parts } = coverageOf(home)
  const names = new Map<string, string>()
  for (const node of allOf(tree)) names.set(node.key, node.name)
  return { tree, coveredBy, parts, names }
}

/** All nodes with their descendants. */
export function* allOf(nodes: readonly PickNode[]): Generator<PickNode> {
  for (const node of nodes) {
    yield node
    yield* allOf(node.children)
  }
}

function treeOf(
  { floors, rooms, units, scenes, groups, calendars = [] }: HouseShowAnswer,
  headings: Headings,
): readonly PickNode[] {
  const unitsIn = (room: string | null): PickNode[] =>
    units.flatMap((unit) => (unit.room === room ? [unitNode(unit)] : gangNodes(unit, room)))
  const roomsOn = (floor: string | null): PickNode[] =>
    rooms
      .filter((room) => room.floor === floor)
      .map(({ id, name }) => ({ key: `room:${id}`, kind: 'room', name, children: unitsIn(id) }))
  const heading = (key: string, name: string, children: readonly PickNode[]): PickNode[] =>
    children.length === 0 ? [] : [{ key, kind: 'heading', name, children }]
  return [
    ...floors.map(({ id, name }): PickNode => ({ key: `floor:${id}`, kind: 'floor', name, children: roomsOn(id) })),
    ...roomsOn(null),
    ...heading('without-room', headings.withoutRoom, unitsIn(null)),
    ...heading(
      'scenes',
      headings.scenes,
      scenes.map(({ id, name }) => ({ key: `scene:${id}`, kind: 'scene', name, children: [] })),
    ),
    ...heading(
      'groups',
      headings.groups,
      groups.map(({ id, name }) => ({ key: `group:${id}`, kind: 'group', name, children: [] })),
    ),
    ...heading(
      'calendars',
      headings.calendars,
      calendars.map(({ id, name }) => ({ key: `calendar:${id}`, kind: 'calendar', name, children: [] })),
    ),
    { key: MODE, kind: 'mode', name: headings.mode, children: [] },
  ]
}

const MODE = 'mode'

function unitNode(unit: Unit): PickNode {
  const { id, name, room, gangs } = unit
  return { key: `unit:${id}`, kind: gangs.length === 0 ? 'unit' : 'module', name, children: gangNodes(unit, room) }
}

/** Gangs of a module that switch something in a room; the module may be elsewhere. */
function gangNodes({ id, gangs }: Unit, where: string | null): PickNode[] {
  return gangs
    .filter(({ room }) => room === where)
    .map(({ gang, name }) => ({ key: `gang:${id}:${gang}`, kind: 'gang', name, children: [] }))
}

function coverageOf(home: HouseShowAnswer): Pick<Pickable, 'coveredBy' | 'parts'> {
  const { floors, rooms, units, scenes, groups, calendars = [] } = home
  const floorOf = new Map(rooms.map(({ id, floor }) => [id, floor]))
  const placeOf = (room: string | null): string[] => {
    const floor = room === null ? null : floorOf.get(room)
    return [...(room === null ? [] : [`room:${room}`]), ...(floor ? [`floor:${floor}`] : [])]
  }
  const coveredBy = new Map<string, readonly string[]>()
  const parts = new Map<string, string[]>()
  for (const { id } of floors) {
    coveredBy.set(`floor:${id}`, [`floor:${id}`])
    parts.set(
      `floor:${id}`,
      rooms.filter(({ floor }) => floor === id).map((room) => `room:${room.id}`),
    )
  }
  for (const { id } of rooms) {
    coveredBy.set(`room:${id}`, placeOf(id))
    parts.set(
      `room:${id}`,
      units.flatMap((unit) => partsInRoom(unit, id)),
    )
  }
  for (const { id, room, gangs } of units) {
    coveredBy.set(`unit:${id}`, [`unit:${id}`, ...placeOf(room)])
    parts.set(
      `unit:${id}`,
      gangs.map(({ gang }) => `gang:${id}:${gang}`),
    )
    for (const { gang, room: gangRoom } of gangs)
      coveredBy.set(`gang:${id}:${gang}`, [`gang:${id}:${gang}`, `unit:${id}`, ...placeOf(gangRoom)])
  }
  for (const { id } of scenes) coveredBy.set(`scene:${id}`, [`scene:${id}`])
  for (const { id } of groups) coveredBy.set(`group:${id}`, [`group:${id}`])
  for (const { id } of calendars) coveredBy.set(`calendar:${id}`, [`calendar:${id}`])
  coveredBy.set(MODE, [MODE])
  return { coveredBy, parts }
}

/** Part of a unit that a room's pick covers: the whole unit, or only its gangs in the room. */
function partsInRoom({ id, room, gangs }: Unit, where: string): string[] {
  if (room === where && gangs.every((gang) => gang.room === where)) return [`unit:${id}`]
  return gangs.filter((gang) => gang.room === where).map(({ gang }) => `gang:${id}:${gang}`)
}
