import type { Attention } from './admin-contract.ts'
import { devicePath, localIdOf } from './device-path.ts'
import type { FloorView } from './floor-views.ts'

const SYSTEM = '/console/system'
const ROOMS = '/console/rooms'

/** Where a person can do something about it, where that is another page than the status. */
const PLACES: Readonly<Partial<Record<Attention['kind'], string>>> = {
  certificate: `${SYSTEM}/certificates`,
  ca: `${SYSTEM}/certificates`,
  relay: `${SYSTEM}/relay`,
  turned_away: `${SYSTEM}/failures`,
  unit_silent: ROOMS,
  unit_without_place: ROOMS,
  unit_class: ROOMS,
  battery: ROOMS,
}

/**
 * The page for something that needs attention: that of the device, where it is about one that a page shows. A jump is
 * answered beside its sentence on the status page.
 */
export function attentionPath({ kind, device, jump }: Attention, floors: readonly FloorView[]): string {
  if (jump !== undefined) return SYSTEM
  const shown = floors.flatMap(({ rooms }) => rooms.flatMap((room) => [...room.units, ...room.devices]))
  const known = device === null ? undefined : shown.find(({ id }) => localIdOf(id) === device)
  return known ? devicePath(known.id) : (PLACES[kind] ?? SYSTEM)
}
