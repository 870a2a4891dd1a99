import type { ExposedFloor, ExposedHouse, ExposedRoom } from '../../exposure/exposed-house.ts'
import type { Scene } from '../../home/model/house.ts'
import type { Refuse } from '../errors.ts'

interface Place {
  readonly room: string | null
  readonly floor: string | null
}

/** The floor and room that a body names; a missing one stays, null takes it away. */
interface PlaceBody {
  readonly roomId?: string | null | undefined
  readonly floorId?: string | null | undefined
}

/**
 * Where a scene is to be shown, in local ids: a room and a floor only where the room lies on the floor, as the
 * integration sees it (docs/automations.md#scenes). What is stored and not shown makes way for what is named.
 */
export function placeOf(
  { roomId, floorId }: PlaceBody,
  stored: Pick<Scene, 'room' | 'floor'> | null,
  { view, refuse }: { readonly view: ExposedHouse; readonly refuse: Refuse<'not_found'> },
): Place | null {
  const floor = named(floorId, (id) => view.floor(id) ?? refuse('not_found', { field: 'floorId' }))
  const room = named(roomId, (id) => view.room(id) ?? refuse('not_found', { field: 'roomId' }))
  if (floor === undefined && room === undefined) return null
  const before = { room: stored?.room ?? null, floor: stored?.floor ?? null }
  const shown = {
    floor: floor === undefined ? shownFloor(before.floor, view) : floor,
    room: room === undefined ? shownRoom(before.room, view) : room,
  }
  if (shown.room && shown.floor && shown.room.floor !== shown.floor.id)
    refuse('validation', {
      message: `${roomId === undefined ? 'floorId' : 'roomId'}: the room ${shown.room.name} does not lie on the floor ${shown.floor.name}. Send a roomId and floorId that fit, or null for one of them.`,
    })
  return {
    floor: floor === undefined ? kept(before.floor, shown.floor, stays(room, before.room)) : (floor?.local ?? null),
    room: room === undefined ? kept(before.room, shown.room, stays(floor, before.floor)) : (room?.local ?? null),
  }
}

/** What is stored and not named: hidden, it stays while the other of the two does. */
function kept(before: string | null, shown: object | null, otherStays: boolean): string | null {
  return shown !== null || otherStays ? before : null
}

function stays(given: { readonly local: string } | null | undefined, before: string | null): boolean {
  return !given || given.local === before
}

function named<T>(id: string | null | undefined, find: (id: string) => T): T | null | undefined {
  return typeof id === 'string' ? find(id) : id
}

function shownRoom(local: string | null, view: ExposedHouse): ExposedRoom | null {
  return local === null ? null : (view.room(view.ids.of('room', local)) ?? null)
}

function shownFloor(local: string | null, view: ExposedHouse): ExposedFloor | null {
  return local === null ? null : (view.floor(view.ids.of('floor', local)) ?? null)
}
