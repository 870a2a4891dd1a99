import type { Command, Outcome, State, Touch, Report } from '../model/bus-types.ts'
import type { RadioUnit } from '../adapter/radio.ts'
import type { Agenda } from '../model/agenda.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import type { BaseLoad } from '../world/base-load.ts'
import type { Room } from '../world/room.ts'

/** A unit, or one gang of a module, with a state of its own. */
export interface Device {
  readonly gang: number | null
  readonly class: State['class']
  readonly roomId: string | null
  state(): State
  /** Carries out one operation; `done` gets what the unit confirms. */
  execute(command: Command, done: (outcome: Outcome) => void): void
  touch?(touch: Touch): void
  /** Somebody moved where the device's motion sensor looks. */
  motion?(): void
  /** Runs about once a minute: for what follows the room slowly. */
  everyMinute?(): void
  /** The house-wide all-off for a group. */
  allOff?(group: number): void
  mainsLost?(): void
  mainsBack?(): void
  /** The temperature inside the unit. */
  heatInside?(celsius: number): void
  led?(): boolean
  /** Runs one of the unit's own schedules. */
  onSchedule?(command: Command): void
}

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
