import { devicePath, localIdOf } from '../lib/page-paths.ts'
import type { Attention } from '../lib/admin-contract.ts'
import type { FloorView } from './floor-views.ts'

const SYSTEM = '/console/system'
const ROOMS = '/console/rooms'

/** Pages that can solve a problem; the status page is the default. */
const ATTENTION_PAGES: Readonly<Partial<Record<Attention['kind'], string>>> = {
  certificate: `${SYSTEM}/certificates`,
  ca: `${SYSTEM}/certificates`,
  relay: `${SYSTEM}/relay`,
  turned_away: `${SYSTEM}/failures`,
  unit_silent: ROOMS,
  unit_without_place: ROOMS,
  unit_class: ROOMS,
  battery: ROOMS,
  record: '/console/access',
}

/**
 * Page that solves a problem: the page of its device, or the page for its kind. The status page has the buttons for an
 * energy counter's jump.
 */
export function attentionPath({ kind, device, jump }: Attention, floors: readonly FloorView[]): string {
  if (jump !== undefined) return SYSTEM
  const devices = floors.flatMap(({ rooms }) => rooms.flatMap((room) => [...room.units, ...room.devices]))
  const affected = device === null ? undefined : devices.find(({ id }) => localIdOf(id) === device)
  return affected ? devicePath(affected.id) : (ATTENTION_PAGES[kind] ?? SYSTEM)
}
