import type { Gang, House, State, Unit } from '@hm-gateway/client/src/contract.ts'

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
      ...itsRooms.map((each) => room(each, name)),
    ]),
    ...rooms.map((each) => room(each, null)),
  ]
}

interface WithName {
  readonly id: string
  readonly name: string
}

/** The names of the room and floor with these ids, as all that is named has them. */
function whereIn(house: House): (each: { readonly room: string | null; readonly floor: string | null }) => Where {
  const names = new Map(placesOf(house).map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null))
  return ({ room, floor }) => ({ room: nameOf(room), roomId: room, floor: nameOf(floor) })
}

type Where = Pick<Named, 'room' | 'roomId' | 'floor'>

/** Every unit, module and gang of a house, in its order; a module stands before its gangs. */
export function thingsOf(house: House): readonly Thing[] {
  const where = whereIn(house)
  const thing = (each: Unit | Gang, unit: Unit, kind: Thing['kind']): Thing => ({
    id: each.id,
    name: each.name,
    ...where(each),
    kind,
    class: each.class,
    unit: kind === 'gang' ? unit.id : null,
    reachable: unit.reachable,
    operations: each.operations,
    state: each.state ?? null,
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
