import type { RadioUnit } from '../adapter/radio-unit.ts'
import type { Agenda } from '../agenda.ts'
import type { Report } from '../bus-types.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { BaseLoad } from '../world/base-load.ts'
import type { Room } from '../world/room.ts'

/** All that a unit has around it: time, its rooms, the house's wiring and the air to its adapter. */
export interface UnitEnvironment {
  readonly agenda: Agenda
  readonly random: SeededRandom
  readonly baseLoad: BaseLoad
  /** Whether it is night when the house begins: its shutters are down then. */
  readonly night: boolean
  room(id: string | null): Room | null
  /** Takes a report of a unit to the adapter, over the radio. */
  report(unit: RadioUnit, report: Report): void
  /** The house-wide all-off for one group: 250 lights, 251 shutters, 252 power units. */
  allOff(group: number): void
  /** An IR emitter sends a channel. */
  sendIr(emitter: number, channel: number): void
}
