import type { Gang, House, State, Unit } from '@hm-gateway/client/src/contract.ts'
import { EXIT_CODES, Failure } from './failure.ts'

/** A thing with a name. */
export interface Named {
  readonly id: string
  readonly name: string
  /** Name of its room; null outside all rooms. Two rooms may have one name. */
  readonly room: string | null
  readonly roomId: string | null
  /** Name of its floor; null outside all floors. */
  readonly floor: string | null
  /** Class: `light_dimmer`. */
  readonly class?: string
}

/** A unit, module or gang, in the shape that `--json` prints. */
export interface Thing extends Named {
  readonly kind: 'unit' | 'module' | 'gang'
  readonly class: string
  /** Id of a gang's module; null for a unit or module. */
  readonly unit: string | null
  readonly reachable: boolean
  readonly operations: readonly string[]
  readonly state: State | null
}

/** A room or floor. */
export interface Place extends Named {
  readonly kind: 'room' | 'floor'
}

/** Rooms and floors; the `room` of a room is null. */
export function placesOf({ floors, rooms }: House): readonly Place[] {
  const room = ({ id, name }: WithName, floor: string | null): Place => ({
    id,
    name,
    room: null,
    roomId: null,
    floor,
    kind: 'room',
  })
  return [
    ...floors.flatMap(({ id, name, rooms: floorRooms }) => [
      { id, name, room: null, roomId: null, floor: null, kind: 'floor' } as const,
      ...floorRooms.map((candidate) => room(candidate, name)),
    ]),
    ...rooms.map((candidate) => room(candidate, null)),
  ]
}

interface WithName {
  readonly id: string
  readonly name: string
}

/** Returns the names of the room and floor with the given ids. */
function whereIn(house: House): (place: { readonly room: string | null; readonly floor: string | null }) => Where {
  const names = new Map(placesOf(house).map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null))
  return ({ room, floor }) => ({ room: nameOf(room), roomId: room, floor: nameOf(floor) })
}

type Where = Pick<Named, 'room' | 'roomId' | 'floor'>

/** All units, modules and gangs of a house in its order; a module comes before its gangs. */
export function thingsOf(house: House): readonly Thing[] {
  const where = whereIn(house)
  const thing = (device: Unit | Gang, unit: Unit, kind: Thing['kind']): Thing => ({
    id: device.id,
    name: device.name,
    ...where(device),
    kind,
    class: device.class,
    unit: kind === 'gang' ? unit.id : null,
    reachable: unit.reachable,
    operations: device.operations,
    state: device.state ?? null,
  })
  const rooms = [...house.floors.flatMap((floor) => floor.rooms), ...house.rooms]
  return [...rooms.flatMap(({ units }) => units), ...house.units].flatMap((unit) => [
    thing(unit, unit, unit.kind),
    ...(unit.gangs ?? []).map((gang) => thing(gang, unit, 'gang')),
  ])
}

/** The scenes of a house by name. */
export function scenesOf(house: House): readonly Named[] {
  const where = whereIn(house)
  return house.scenes.map(({ id, name, ...rest }) => ({ id, name, ...where(rest) }))
}

/** The named groups of a house, which are in no room. A gateway before groups has none. */
export function groupsOf({ groups = [] }: Partial<Pick<House, 'groups'>>): readonly Named[] {
  return groups.map(({ id, name }) => ({ id, name, room: null, roomId: null, floor: null }))
}

/** Limit of names in a sentence. */
const NAMES_MAX = 8

/** Reduces a name to lower-case letters and digits: `Küche: Wandlampe` and `kuche wandlampe` are the same. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Folded names of a thing. */
interface Names {
  readonly name: string
  /** Name with the room. */
  readonly full: string
  /** Name with floor and room. */
  readonly whole: string
  /** Class. */
  readonly of: string
}
type Matcher = (typed: string, names: Names) => boolean

const EXACT: Matcher = (typed, { name, full, whole }) => [name, full, whole].includes(typed)

/** Looser matches of a name, most certain first; the first one with a result decides. */
const MATCHERS: readonly Matcher[] = [
  (typed, { name, full }) => name.startsWith(typed) || full.startsWith(typed),
  (typed, { full }) => beginsWords(typed, full),
  // By class: `ac`, `bedroom dimmer`.
  (typed, { full, of }) => beginsWords(typed, `${full} ${of}`),
  (typed, { whole, of }) => beginsWords(typed, `${whole} ${of}`),
]

/** True if each typed word begins one of the name's words. */
function beginsWords(typed: string, full: string): boolean {
  const words = full.split(' ')
  return typed.split(' ').every((part) => words.some((word) => word.startsWith(part)))
}

function namesOf(item: Named): Names {
  const full = folded(fullName(item))
  return { name: folded(item.name), full, whole: folded(`${item.floor ?? ''} ${full}`), of: folded(item.class ?? '') }
}

/** Exact matches: by id, name, name with room, or name with floor and room. */
export function exactMatches<T extends Named>(typed: string, all: readonly T[]): readonly T[] {
  const byId = all.filter(({ id }) => id === typed)
  if (byId.length > 0) return byId
  const target = folded(typed)
  if (target === '') return []
  return all.filter((item) => EXACT(target, namesOf(item)))
}

/** Matches by the beginnings of a name or of its words. */
function nearMatches<T extends Named>(typed: string, all: readonly T[]): readonly T[] {
  const target = folded(typed)
  if (target === '') return []
  const names = all.map((item) => ({ item, names: namesOf(item) }))
  for (const matches of MATCHERS) {
    const found = names.filter(({ names: its }) => matches(target, its))
    if (found.length > 0) return found.map(({ item }) => item)
  }
  return []
}

/**
 * Finds the things that a typed name may mean. Exact matches come first. Among several matches, and without an exact
 * one, things that satisfy `isLikely` are preferred, like a lamp for switching.
 */
export function matchesOf<T extends Named>(
  typed: string,
  all: readonly T[],
  isLikely: (item: T) => boolean = () => true,
): readonly T[] {
  const exact = exactMatches(typed, all)
  if (exact.length > 0) {
    const likely = exact.filter(isLikely)
    return likely.length > 0 ? likely : exact
  }
  const likely = nearMatches(typed, all.filter(isLikely))
  const found = likely.length > 0 ? likely : nearMatches(typed, all)
  const [, rest] = /^\s*the\s+(.+)$/i.exec(typed) ?? []
  return found.length > 0 || rest === undefined ? found : matchesOf(rest, all, isLikely)
}

/**
 * Finds the one thing with a typed name.
 * @throws Failure if nothing matches, or several things do; then it lists them
 */
export function theOne<T extends Named>(
  typed: string,
  all: readonly T[],
  what: string,
  isLikely?: (item: T) => boolean,
): T {
  const found = matchesOf(typed, all, isLikely)
  const [one] = found
  if (one === undefined) {
    const sentence = `This login sees no ${what} "${typed}".${nearest(typed, all)}`
    throw new Failure(sentence, EXIT_CODES.typed, { code: 'no_such_name' })
  }
  if (found.length === 1) return one
  const names = found.slice(0, NAMES_MAX).map(distinctName(found))
  const more = found.length > NAMES_MAX ? ` and ${found.length - NAMES_MAX} more` : ''
  const sentence = `"${typed}" may be ${names.join(', ')}${more}: add the room or the floor, or use the id.`
  throw new Failure(sentence, EXIT_CODES.typed, { code: 'ambiguous_name' })
}

/** A name with its room, unless the name starts with it: `Hall light`, `Kitchen Ceiling`. */
export function fullName({ name, room }: Pick<Named, 'name' | 'room'>): string {
  return room === null || folded(name).startsWith(folded(room)) ? name : `${room} ${name}`
}

/**
 * Distinct name of each thing: the name with its room, and the floor before it if others have the same.
 * @param otherwise name if that is not distinct either
 */
export function distinctName(
  all: readonly Named[],
  otherwise: (item: Named) => string = (item) => `${fullName(item)} (${item.id})`,
): (item: Named) => string {
  const withFloor = (item: Named): string => (item.floor === null ? fullName(item) : `${item.floor} ${fullName(item)}`)
  const isUnique = (item: Named, by: (item: Named) => string): boolean =>
    all.every((other) => other.id === item.id || by(other) !== by(item))
  return (item) => {
    if (isUnique(item, fullName)) return fullName(item)
    return isUnique(item, withFloor) ? withFloor(item) : otherwise(item)
  }
}

/** Suggests the names with the most words that differ from the typed ones by at most a letter. */
function nearest(typed: string, all: readonly Named[]): string {
  const parts = folded(typed).split(' ')
  const near = all.map((item) => {
    const words = folded(fullName(item)).split(' ')
    const isNear = (part: string): boolean => part.length > 2 && words.some((word) => differsByOneLetter(part, word))
    return { name: fullName(item), shared: parts.filter(isNear).length }
  })
  const most = Math.max(1, ...near.map(({ shared }) => shared))
  const names = near.filter(({ shared }) => shared === most).slice(0, NAMES_MAX)
  return names.length === 0 ? '' : ` Did you mean ${names.map(({ name }) => name).join(', ')}?`
}

/** True if at most one letter was changed, left out, added or swapped with its neighbour. */
function differsByOneLetter(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const [rest, others] = [one.slice(start), other.slice(start)]
  const isSwapped = rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2)
  return (
    [rest.slice(1), rest].some((shortened) => shortened === others.slice(1)) || rest.slice(1) === others || isSwapped
  )
}
