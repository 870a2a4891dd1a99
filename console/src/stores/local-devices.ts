import { computed } from '@preact/signals'
import { localIdOf } from '../lib/page-paths.ts'
import { unitsOf } from '../lib/house-units.ts'
import { house } from './home.ts'

/** A unit, module or gang as the administrators' API sees it. */
export interface LocalDevice {
  /** Device id at `/v1` for the owner. */
  readonly id: string
  readonly name: string
  /** Local id of its room, or null. */
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

/** Local id of a room: `gateway:integration:room:hall` becomes `hall`. */
export const localRoomOf = (id: string): string => localIdOf(id).replace(/^room:/, '')
