import type { Gang, House, State, Unit } from '../../../client/src/contract.ts'

/** What a person calls by a name. */
export interface Named {
  readonly id: string
  readonly name: string
  /** The name of its room; null where it is in none. */
  readonly room: string | null
  /** What it is: `light_dimmer`. */
  readonly class?: string
}

/** A unit, module or gang, with what is shown of it. The shape that `--json` prints. */
export interface Thing extends Named {
  readonly kind: 'unit' | 'module' | 'gang'
  readonly class: string
  readonly floor: string | null
  readonly reachable: boolean
  readonly operations: readonly string[]
  readonly state: State | null
}

/** A room or floor. */
export interface Place extends Named {
  readonly kind: 'room' | 'floor'
}

/** Rooms and floors by id; a room is in itself nowhere. */
export function placesOf({ floors, rooms }: House): readonly Place[] {
  const place = (kind: Place['kind'], { id, name }: { readonly id: string; readonly name: string }): Place => ({
    id,
    name,
    room: null,
    kind,
  })
  return [
    ...floors.flatMap((floor) => [place('floor', floor), ...floor.rooms.map((room) => place('room', room))]),
    ...rooms.map((room) => place('room', room)),
  ]
}

/** Every unit, module and gang of a house, in its order; a module stands before its gangs. */
export function thingsOf(house: House): readonly Thing[] {
  const names = new Map(placesOf(house).map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null))
  const thing = (each: Unit | Gang, unit: Unit, kind: Thing['kind']): Thing => ({
    id: each.id,
    name: each.name,
    room: nameOf(each.room),
    kind,
    class: each.class,
    floor: nameOf(each.floor),
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
  const rooms = new Map(placesOf(house).map(({ id, name }) => [id, name]))
  return house.scenes.map(({ id, name, room }) => ({
    id,
    name,
    room: room === null ? null : (rooms.get(room) ?? null),
  }))
}
