import { computed, signal } from '@preact/signals'
import { type FloorView, floorsOf, type RoomView } from './floor-views.ts'
import { house } from './home.ts'

/** Floors of the home page with their furnished rooms; the last entry holds rooms and devices without a floor. */
export const floors = computed<readonly FloorView[]>(() => (house.value ? floorsOf(house.value) : []))

/** Floor tab of the home page, remembered across pages; null: the first. */
export const openFloor = signal<string | null>(null)

/** Room to scroll to when the home page opens; the page resets it to null. */
export const roomToShow = signal<string | null>(null)

/** Last scene found by search; the home page shows it even in a shortened list. */
export const sceneToShow = signal<string | null>(null)

/** Floor and room of each device, by device id. */
export const roomOf = computed<ReadonlyMap<string, { readonly floor: FloorView; readonly room: RoomView }>>(
  () =>
    new Map(
      floors.value.flatMap((floor) =>
        floor.rooms.flatMap((room) => [...room.units, ...room.devices].map(({ id }) => [id, { floor, room }] as const)),
      ),
    ),
)
