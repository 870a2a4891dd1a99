import type { Command, Outcome, State, Touch, Report } from '../model/bus-types.ts'
import type { RadioUnit } from '../adapter/radio.ts'
import type { Agenda } from '../model/agenda.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import type { BaseLoad } from '../world/base-load.ts'
import type { Room } from '../world/room.ts'

/** A unit, or one gang of a module, with its own state. */
export interface Device {
  readonly gang: number | null
  readonly class: State['class']
  readonly roomId: string | null
  state(): State
  /** Executes one operation; `done` gets the confirmed state. */
  execute(command: Command, done: (outcome: Outcome) => void): void
  touch?(touch: Touch): void
  /** Motion at the device's sensor. */
  motion?(): void
  /** Runs about once a minute, for slow reactions to the room. */
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

/** The environment of a unit: time, its rooms, the house's wiring and the air to its adapter. */
export interface UnitEnvironment {
  readonly agenda: Agenda
  readonly random: SeededRandom
  readonly baseLoad: BaseLoad
  /** True if the house begins at night, with its shutters down. */
  readonly night: boolean
  room(id: string | null): Room | null
  /** Sends a report of a unit to the adapter, over the radio. */
  report(unit: RadioUnit, report: Report): void
  /** The house-wide all-off for one group: 250 lights, 251 shutters, 252 power units. */
  allOff(group: number): void
  /** An IR emitter sends a channel. */
  sendIr(emitter: number, channel: number): void
}
