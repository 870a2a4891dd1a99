import { computed } from '@preact/signals'
import { localIdOf } from '../lib/addresses.ts'
import { unitsOf } from '../lib/house-units.ts'
import { house } from './home.ts'

/** A unit, module or gang of the home, as administrators' calls know it. */
export interface LocalDevice {
  /** Its id of the service, for the owner. */
  readonly id: string
  readonly name: string
  /** The local id of its room, or null. */
  readonly room: string | null
}

/** Every unit, module and gang by its local id, in the order of the house. */
export const localDevices = computed((): ReadonlyMap<string, LocalDevice> => {
  const home = house.value
  if (home === null) return new Map()
  return new Map(
    unitsOf(home)
      .flatMap((unit) => [unit, ...(unit.gangs ?? [])])
      .map(({ id, name, room }) => [localIdOf(id), { id, name, room: room && localRoomOf(room) }]),
  )
})

/** The local id of a room, in its id of the service: `gateway:integration:room:hall` is `hall`. */
export const localRoomOf = (id: string): string => localIdOf(id).replace(/^room:/, '')
