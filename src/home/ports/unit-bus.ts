import type { Result } from '../../lib/result.ts'
import type { Cause } from '../model/events.ts'
import type {
  DeviceKey,
  Command,
  DeviceState,
  Readings,
  GangClass,
  Model,
  UnitClass,
  RegisterValues,
  UnitSchedule,
  BusDown,
  ChangeTrigger,
  Detection,
} from '../model/device.ts'
import type { Origin } from '../model/house.ts'

/** `not_there`: the house has no such device (any more); `not_offered`: the device has no such operation. */
export type ControlFailure = BusFailure | { readonly kind: 'not_there' } | { readonly kind: 'not_offered' }

export interface ControlItem {
  readonly device: DeviceKey
  readonly command: Command
}

/** One of many; `cause` instead of the cause of them all, where it has its own. */
export interface OneOfMany extends ControlItem {
  readonly cause?: Cause
}

/**
 * The only way to move a unit: sends the command, waits for the confirmed state, caches it, records it with its cause
 * and emits it.
 */
export interface Control {
  /** What the command would fail with now, as far as it is known without a frame, or null. */
  obstacle(item: ControlItem): ControlFailure | null
  perform(item: ControlItem, cause: Cause, priority: Priority): Promise<Result<DeviceState, ControlFailure>>
  /** Many at once, in group frames where the protocol allows; answers in the order asked. */
  performMany(
    items: readonly OneOfMany[],
    cause: Cause,
    priority: Priority,
  ): Promise<readonly Result<DeviceState, ControlFailure>[]>
}

/** What units last confirmed; null where nothing is known. Reading sends no frame. */
export interface StateReader {
  state(device: DeviceKey): DeviceState | null
  readings(unit: string): Readings | null
}

/** `unavailable`: the adapter cannot carry frames. */
export type RunFailure = { readonly kind: 'not_there' } | Extract<BusFailure, { kind: 'unavailable' }>

/** On whose authority a run opens: who saved what it does, or who asked for it. */
export interface Principal extends Origin {
  /** The administrator who confirmed this one run, where an agent asked for it. */
  readonly confirmedBy?: string
}

/** Why somebody may not open locks and gates. `unconfirmed`: an agent, and nobody confirmed this run. */
export type OpeningRefusal =
  | 'integration_deleted'
  | 'integration_disabled'
  | 'unlock_off'
  | 'credential_ended'
  | 'unconfirmed'

/** Who may open locks and gates (Spec 4 rule 2), as of now: nothing is remembered from one question to the next. */
export interface OpeningPolicy {
  /** Null where the principal may. */
  refusalOf(principal: Principal): OpeningRefusal | null
}

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
