import { computed, signal } from '@preact/signals'
import { type FloorView, floorsOf, type RoomView } from './floor-views.ts'
import { house } from './home.ts'

/** The home as it is shown: floors with their furnished rooms, and a last one for what is on none. */
export const floors = computed<readonly FloorView[]>(() => (house.value ? floorsOf(house.value) : []))

/** The floor that is open on the page of the home; null: the first. It stays open while other pages are looked at. */
export const openFloor = signal<string | null>(null)

/** A room that is to be brought into view, once. */
export const wantedRoom = signal<string | null>(null)

/** The scene that somebody looked for last: it is shown however many there are. */
export const wantedScene = signal<string | null>(null)

/** The room of each device, by the device's id. */
export const roomOf = computed<ReadonlyMap<string, { readonly floor: FloorView; readonly room: RoomView }>>(
  () =>
    new Map(
      floors.value.flatMap((floor) =>
        floor.rooms.flatMap((room) => [...room.units, ...room.devices].map(({ id }) => [id, { floor, room }] as const)),
      ),
    ),
)
