import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { Refuse } from './errors.ts'

/** What a list was asked to hold (docs/api.md#filters): what lies in one room, what is of one class, or both. */
export interface DeviceQuery {
  readonly room?: string | undefined
  readonly class?: string | undefined
}

/**
 * Whether something in a list is what was asked for; `room` is an id of the view, and null where it lies in no room.
 */
export type DeviceFilter = (thing: { readonly room: string | null; readonly class: string }) => boolean

/** The filter of a query, or null where it asks for everything. A hidden room is refused like one that never was. */
export function deviceFilter(query: DeviceQuery, view: ExposedHouse, refuse: Refuse<'not_found'>): DeviceFilter | null {
  const { room, class: wanted } = query
  if (room !== undefined && !view.room(room)) refuse('not_found', { field: 'room' })
  if (room === undefined && wanted === undefined) return null
  return (thing) => (room === undefined || thing.room === room) && (wanted === undefined || thing.class === wanted)
}
