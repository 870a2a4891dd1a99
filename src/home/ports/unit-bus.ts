import type { Result } from '../../lib/result.ts'
import type { Cause, HeldMode } from '../model/events.ts'
import type { PresenceState } from '../model/presence.ts'
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
  TouchKey,
  Press,
  UnitCapability,
} from '../model/device.ts'
import type { Origin } from '../model/house.ts'

/** `not_there`: the house has no such device (any more); `not_offered`: the device has no such operation. */
export type ControlFailure = BusFailure | { readonly kind: 'not_there' } | { readonly kind: 'not_offered' }

export interface ControlItem {
  readonly device: DeviceKey
  readonly command: Command
}

/** One command of a batch; `cause` replaces the batch's cause. */
export interface BatchItem extends ControlItem {
  readonly cause?: Cause
}

/**
 * The only way to move a unit: sends the command, waits for the confirmed state, caches it, records it with its cause
 * and emits it.
 */
export interface Control {
  /** Predicts the failure of a command without sending a frame; null if it can be sent. */
  obstacle(item: ControlItem): ControlFailure | null
  perform(item: ControlItem, cause: Cause, priority: Priority): Promise<Result<DeviceState, ControlFailure>>
  /** Sends many commands, in group frames where the protocol allows; results are in the order of `items`. */
  performMany(
    items: readonly BatchItem[],
    cause: Cause,
    priority: Priority,
  ): Promise<readonly Result<DeviceState, ControlFailure>[]>
}

/** Lets a device blink, so that people find it. Its load does not move. */
export interface Blinking {
  /** @param seconds up to `IDENTIFY_SECONDS_MAX`; 0 ends it */
  identify(device: DeviceKey, seconds: number, cause: Cause): Promise<Result<null, ControlFailure>>
}

/** Last confirmed states and readings; null if unknown. Reading sends no frame. */
export interface StateReader {
  /** True if the unit answers, as far as is known. */
  reachable(unit: string): boolean
  state(device: DeviceKey): DeviceState | null
  readings(unit: string): Readings | null
  /** The mode of the home. */
  mode(): HeldMode
  /** The presence of a person or `anyone`, with the causes of everything that decides it. */
  presence(person: string): { readonly is: PresenceState; readonly causes: readonly Cause[] }
}

/** `unavailable`: the adapter cannot carry frames. */
export type RunFailure = { readonly kind: 'not_there' } | Extract<BusFailure, { kind: 'unavailable' }>

/** The credential whose permission an opening needs: it saved the rule, or requested the run. */
export interface Principal extends Origin {
  /** The administrator who confirmed this run, if an agent requested it. */
  readonly confirmedBy?: string
}

/** Reason why a principal may not open locks and gates. `unconfirmed`: an agent without a confirmation for this run. */
export type OpeningRefusal =
  | 'integration_deleted'
  | 'integration_disabled'
  | 'integration_over'
  | 'outside_hours'
  | 'unlock_off'
  | 'credential_ended'
  | 'unconfirmed'

/** Current permissions to open locks and gates (Spec 4 rule 2). Every call checks anew. */
export interface OpeningPolicy {
  /** Null if the principal may open them. */
  refusalOf(principal: Principal): OpeningRefusal | null
}

/** The unit protocol as the home sees it. `hmhc/` implements it and hides frames, sequences and register numbers. */
export interface UnitBus {
  /** Reason why no frame can be sent now, or null while the link is up. Known without a frame. */
  readonly down: BusDown | null
  /** Time until the next attempt to open the line, in ms; null while it is open or if unknown. */
  readonly retryMs: number | null
  /** Units the bus knows, by address; empty before the first contact. */
  readonly units: ReadonlyMap<number, BusUnit>
  /** Predicts the failure of a command for this target without a frame; null if it can be sent. */
  obstacle(target: UnitTarget): BusFailure | null
  /** Sends one operation and returns the state that the unit confirmed. */
  control(
    target: UnitTarget,
    command: Command,
    priority: Priority,
    by: Requester,
  ): Promise<Result<DeviceState, BusFailure>>
  /** Sends many operations, in group frames where the protocol allows; results are in the order of `items`. */
  controlGroup(
    items: readonly GroupItem[],
    priority: Priority,
    by: Requester,
  ): Promise<readonly Result<DeviceState, BusFailure>[]>
  /** Reads a device's state from the unit. If the unit does not answer, the bus retries later and reports the state. */
  readState(target: UnitTarget, priority: Priority, by: Requester): Promise<Result<DeviceState, BusFailure>>
  /** Reads a unit's whole state in the background and reports it; retries later if the unit does not answer. */
  refresh(address: number): void
  /** All settings of a unit (`gang` null: the unit's or module's own) or of one gang. */
  readRegisters(target: UnitTarget, priority: Priority): Promise<Result<RegisterValues, BusFailure>>
  /** Writes settings, reads them back and returns the values that the unit then holds. */
  writeRegisters(
    target: UnitTarget,
    values: RegisterValues,
    priority: Priority,
    by: Requester,
  ): Promise<Result<RegisterValues, BusFailure>>
  /** The unit's own schedules. */
  readSchedules(address: number, priority: Priority): Promise<Result<readonly UnitSchedule[], BusFailure>>
  /** Lets a unit or gang blink for some seconds, 0 to end it. Its load does not move. */
  identify(target: UnitTarget, seconds: number, by: Requester): Promise<Result<null, BusFailure>>
  /** Checks that one unit answers. */
  ping(address: number, priority: Priority): Promise<Result<null, BusFailure>>
  /** Calls `listener` with every report; the returned function unsubscribes. */
  onReport(listener: (report: BusReport) => void): () => void
}

export interface UnitTarget {
  readonly address: number
  readonly gang: number | null
}

export interface GroupItem {
  readonly target: UnitTarget
  readonly command: Command
}

/**
 * Urgency of a frame: a person waits for a command, an automation can wait longer, a background read waits for both.
 */
export type Priority = 'person' | 'automation' | 'background'

/** The requester of a frame; requesters of one priority take turns. Null for the home itself. */
export type Requester = string | null

export type BusFailure =
  /** `retryMs`: time until the line is tried again, if known. */
  | { readonly kind: 'unavailable'; readonly retryMs?: number }
  /** `retryMs`: time until a unit that was silent too often is tried again. */
  | { readonly kind: 'no_answer'; readonly retryMs?: number }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'unknown_unit' }
  | { readonly kind: 'busy'; readonly retryMs: number }
  /** Too many frames of this requester are waiting; after `retryMs` there is room again. */
  | { readonly kind: 'too_many'; readonly retryMs: number }

export interface BusUnit {
  readonly address: number
  readonly model: Model
  readonly class: UnitClass
  readonly firmware: string
  readonly gangs: readonly { readonly gang: number; readonly class: GangClass }[]
  readonly reachable: boolean
  /** Missing: none is known. */
  readonly capabilities?: readonly UnitCapability[]
}

export type BusReport =
  | { readonly kind: 'link'; readonly down: BusDown | null }
  | {
      readonly kind: 'state'
      readonly target: UnitTarget
      readonly state: DeviceState
      readonly trigger: ChangeTrigger
    }
  | { readonly kind: 'readings'; readonly address: number; readonly readings: Readings }
  | { readonly kind: 'detection'; readonly address: number; readonly detection: Detection; readonly value: boolean }
  /** A key was touched, with or without an effect. */
  | { readonly kind: 'touch'; readonly target: UnitTarget; readonly key: TouchKey; readonly press: Press }
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
  | { readonly kind: 'registers'; readonly target: UnitTarget; readonly values: RegisterValues }
  | { readonly kind: 'trouble'; readonly trouble: 'jammed' | 'duty_limit' }
