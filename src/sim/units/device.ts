import type { Command, Outcome, State, Touch } from '../bus-types.ts'

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
