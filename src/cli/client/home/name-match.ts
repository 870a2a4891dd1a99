import type { Gang, House, State, Unit } from '@hm-gateway/client/src/contract.ts'
import { EXIT_CODES, Failure } from './failure.ts'

/** What a person calls by a name. */
export interface Named {
  readonly id: string
  readonly name: string
  /** The name of its room; null where it is in none. Two rooms may have one name. */
  readonly room: string | null
  readonly roomId: string | null
  /** The name of its floor; null where it is on none. */
  readonly floor: string | null
  /** What it is: `light_dimmer`. */
  readonly class?: string
}

/** A unit, module or gang, with what is shown of it. The shape that `--json` prints. */
export interface Thing extends Named {
  readonly kind: 'unit' | 'module' | 'gang'
  readonly class: string
  /** The id of the module of a gang; null for a unit or module. */
  readonly unit: string | null
  readonly reachable: boolean
  readonly operations: readonly string[]
  readonly state: State | null
}

/** A room or floor. */
export interface Place extends Named {
  readonly kind: 'room' | 'floor'
}

/** Rooms and floors by id; a room is in itself in no room. */
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
    ...floors.flatMap(({ id, name, rooms: itsRooms }) => [
      { id, name, room: null, roomId: null, floor: null, kind: 'floor' } as const,
      ...itsRooms.map((candidate) => room(candidate, name)),
    ]),
    ...rooms.map((candidate) => room(candidate, null)),
  ]
}

interface WithName {
  readonly id: string
  readonly name: string
}

/** The names of the room and floor with these ids, as all that is named has them. */
function whereIn(house: House): (place: { readonly room: string | null; readonly floor: string | null }) => Where {
  const names = new Map(placesOf(house).map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null))
  return ({ room, floor }) => ({ room: nameOf(room), roomId: room, floor: nameOf(floor) })
}

type Where = Pick<Named, 'room' | 'roomId' | 'floor'>

/** Every unit, module and gang of a house, in its order; a module stands before its gangs. */
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

/** So many names stand in a sentence. */
const NAMES_MAX = 8

/** Letters and digits alone count, and no case: `Küche: Wandlampe` and `kuche wandlampe` are the same. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** What is called by names, folded. */
interface Names {
  readonly name: string
  /** With its room. */
  readonly full: string
  /** With its floor and room. */
  readonly whole: string
  /** What it is. */
  readonly of: string
}
type Way = (typed: string, names: Names) => boolean

const EXACT: Way = (typed, { name, full, whole }) => [name, full, whole].includes(typed)

/** How a name may be said otherwise, the surest first: the first way in which anything is meant decides. */
const WAYS: readonly Way[] = [
  (typed, { name, full }) => name.startsWith(typed) || full.startsWith(typed),
  (typed, { full }) => beginsWords(typed, full),
  // By what it is: `ac`, `bedroom dimmer`.
  (typed, { full, of }) => beginsWords(typed, `${full} ${of}`),
  (typed, { whole, of }) => beginsWords(typed, `${whole} ${of}`),
]

/** Whether each word that was typed begins one of the others. */
function beginsWords(typed: string, full: string): boolean {
  const words = full.split(' ')
  return typed.split(' ').every((part) => words.some((word) => word.startsWith(part)))
}

function namesOf(item: Named): Names {
  const full = folded(fullName(item))
  return { name: folded(item.name), full, whole: folded(`${item.floor ?? ''} ${full}`), of: folded(item.class ?? '') }
}

/** All that is called just so: by its id, its name, or that with its room, or with its floor and room. */
export function called<T extends Named>(typed: string, all: readonly T[]): readonly T[] {
  const byId = all.filter(({ id }) => id === typed)
  if (byId.length > 0) return byId
  const wanted = folded(typed)
  if (wanted === '') return []
  return all.filter((item) => EXACT(wanted, namesOf(item)))
}

/** What is meant by the beginnings of a name, or of its words. */
function nearlyCalled<T extends Named>(typed: string, all: readonly T[]): readonly T[] {
  const wanted = folded(typed)
  if (wanted === '') return []
  const names = all.map((item) => ({ item, names: namesOf(item) }))
  for (const isMeant of WAYS) {
    const found = names.filter(({ names: its }) => isMeant(wanted, its))
    if (found.length > 0) return found.map(({ item }) => item)
  }
  return []
}

/**
 * What is meant by what somebody typed. What is called just so comes before everything else; of several, and where
 * nothing is, those that `isLikely` holds for, as a lamp where something is switched.
 */
export function meant<T extends Named>(
  typed: string,
  all: readonly T[],
  isLikely: (item: T) => boolean = () => true,
): readonly T[] {
  const exact = called(typed, all)
  if (exact.length > 0) {
    const likely = exact.filter(isLikely)
    return likely.length > 0 ? likely : exact
  }
  const likely = nearlyCalled(typed, all.filter(isLikely))
  const found = likely.length > 0 ? likely : nearlyCalled(typed, all)
  const [, rest] = /^\s*the\s+(.+)$/i.exec(typed) ?? []
  return found.length > 0 || rest === undefined ? found : meant(rest, all, isLikely)
}

/**
 * The one that is meant.
 * @throws Failure where nothing is meant, or more than one thing: then it names them
 */
export function theOne<T extends Named>(
  typed: string,
  all: readonly T[],
  what: string,
  isLikely?: (item: T) => boolean,
): T {
  const found = meant(typed, all, isLikely)
  const [one] = found
  if (one === undefined) {
    const sentence = `There is no ${what} "${typed}" for this login.${nearest(typed, all)}`
    throw new Failure(sentence, EXIT_CODES.typed, { code: 'no_such_name' })
  }
  if (found.length === 1) return one
  const names = found.slice(0, NAMES_MAX).map(distinctName(found))
  const more = found.length > NAMES_MAX ? ` and ${found.length - NAMES_MAX} more` : ''
  const sentence = `"${typed}" can be ${names.join(', ')}${more}: say which, with its room, its floor or its id.`
  throw new Failure(sentence, EXIT_CODES.typed, { code: 'ambiguous_name' })
}

/** A name with its room before it, unless it says that itself: `Hall light`, `Kitchen Ceiling`. */
export function fullName({ name, room }: Pick<Named, 'name' | 'room'>): string {
  return room === null || folded(name).startsWith(folded(room)) ? name : `${room} ${name}`
}

/**
 * What tells one of several, as it may be said: its name with its room, and its floor before them where others have the
 * same.
 * @param otherwise what tells it where others have that too
 */
export function distinctName(
  all: readonly Named[],
  otherwise: (item: Named) => string = (item) => `${fullName(item)} (${item.id})`,
): (item: Named) => string {
  const withFloor = (item: Named): string => (item.floor === null ? fullName(item) : `${item.floor} ${fullName(item)}`)
  const isAlone = (item: Named, by: (item: Named) => string): boolean =>
    all.every((other) => other.id === item.id || by(other) !== by(item))
  return (item) => {
    if (isAlone(item, fullName)) return fullName(item)
    return isAlone(item, withFloor) ? withFloor(item) : otherwise(item)
  }
}

/** The names with most words that are, but for a letter, those that were typed. */
function nearest(typed: string, all: readonly Named[]): string {
  const parts = folded(typed).split(' ')
  const near = all.map((item) => {
    const words = folded(fullName(item)).split(' ')
    const isNear = (part: string): boolean => part.length > 2 && words.some((word) => differsByOne(part, word))
    return { name: fullName(item), shared: parts.filter(isNear).length }
  })
  const most = Math.max(1, ...near.map(({ shared }) => shared))
  const names = near.filter(({ shared }) => shared === most).slice(0, NAMES_MAX)
  return names.length === 0 ? '' : ` Do you mean ${names.map(({ name }) => name).join(', ')}?`
}

/** Whether at most one letter was changed, left out, added or swapped with its neighbour. */
function differsByOne(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const [rest, others] = [one.slice(start), other.slice(start)]
  const isSwapped = rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2)
  return (
    [rest.slice(1), rest].some((shortened) => shortened === others.slice(1)) || rest.slice(1) === others || isSwapped
  )
}
