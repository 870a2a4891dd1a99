import type { GangClass, Model, UnitClass } from '../model/device.ts'
import type {
  RegisterValues,
  UnitSchedule,
  BusDown,
  ChangeTrigger,
  Command,
  Detection,
  DeviceState,
  Readings,
} from '../model/state.ts'
import type { Result } from '../../lib/result.ts'

/** The unit protocol as the home sees it. `hmhc/` implements it; no frame, sequence or register number gets past it. */
export interface UnitBus {
  /** Why no frame can be carried right now, or null while the link is up. Known without asking the wire. */
  readonly down: BusDown | null
  /** While there is no line: how long until it is tried again, in ms; null where that is not known. */
  readonly retryMs: number | null
  /** Units the bus knows, by address; empty before the first contact. */
  readonly units: ReadonlyMap<number, BusUnit>
  /** What a command for this target would fail with now, as far as it is known without a frame, or null. */
  obstacle(target: Target): BusFailure | null
  /** Sends one operation and answers with the state that the unit confirmed. */
  control(target: Target, command: Command, priority: Priority, asker: Asker): Promise<Result<DeviceState, BusFailure>>
  /** Sends many operations, in group frames where the protocol allows; answers in the order asked. */
  controlGroup(
    items: readonly GroupItem[],
    priority: Priority,
    asker: Asker,
  ): Promise<readonly Result<DeviceState, BusFailure>[]>
  /** Asks for a device's state anew. Where the unit does not answer, the bus asks again later and reports the state. */
  readState(target: Target, priority: Priority, asker: Asker): Promise<Result<DeviceState, BusFailure>>
  /** Reads a unit's whole state in the background and reports it; again later where the unit does not answer. */
  refresh(address: number): void
  /** All settings of a unit (`gang` null: the unit's or module's own) or of one gang. */
  readRegisters(target: Target, priority: Priority): Promise<Result<RegisterValues, BusFailure>>
  /** Writes settings, reads them back and answers with what the unit then holds. */
  writeRegisters(
    target: Target,
    values: RegisterValues,
    priority: Priority,
    asker: Asker,
  ): Promise<Result<RegisterValues, BusFailure>>
  /** The unit's own schedules. */
  readSchedules(address: number, priority: Priority): Promise<Result<readonly UnitSchedule[], BusFailure>>
  /** Asks one unit for a sign of life. */
  ping(address: number, priority: Priority): Promise<Result<null, BusFailure>>
  /** `listener` gets every report; the returned function ends that. */
  onReport(listener: (report: BusReport) => void): () => void
}

export interface Target {
  readonly address: number
  readonly gang: number | null
}

export interface GroupItem {
  readonly target: Target
  readonly command: Command
}

/**
 * How urgent a frame is: a person waits for a command, an automation waits less, a background read can wait for both.
 */
export type Priority = 'person' | 'automation' | 'background'

/** Who waits for a frame: those of one priority take turns. Null for the home itself. */
export type Asker = string | null

export type BusFailure =
  /** With `retryMs` where it is known when the line is tried again. */
  | { readonly kind: 'unavailable'; readonly retryMs?: number }
  /** With `retryMs` where the unit was silent so often that it is not asked again before. */
  | { readonly kind: 'no_answer'; readonly retryMs?: number }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'unknown_unit' }
  | { readonly kind: 'busy'; readonly retryMs: number }
  /** Too much of what the asker wants waits already; within `retryMs` it does not any more. */
  | { readonly kind: 'too_many'; readonly retryMs: number }

export interface BusUnit {
  readonly address: number
  readonly model: Model
  readonly class: UnitClass
  readonly firmware: string
  readonly gangs: readonly { readonly gang: number; readonly class: GangClass }[]
  readonly reachable: boolean
}

export type BusReport =
  | { readonly kind: 'link'; readonly down: BusDown | null }
  | { readonly kind: 'state'; readonly target: Target; readonly state: DeviceState; readonly trigger: ChangeTrigger }
  | { readonly kind: 'readings'; readonly address: number; readonly readings: Readings }
  | { readonly kind: 'detection'; readonly address: number; readonly detection: Detection; readonly value: boolean }
  /** `energyWh` is the unit's own counter: it only grows, until it wraps or the unit is reset. */
  | {
      readonly kind: 'energy'
      readonly address: number
      readonly gang: number | null
      readonly energyWh: number
      readonly powerW: number
    }
  | { readonly kind: 'unit'; readonly change: 'joined' | 'lost' | 'back'; readonly unit: BusUnit }
  /** Settings changed at the unit itself (its menu), or read in the background. */
  | { readonly kind: 'registers'; readonly target: Target; readonly values: RegisterValues }
  | { readonly kind: 'trouble'; readonly trouble: 'jammed' | 'duty_limit' }
