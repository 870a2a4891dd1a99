import type { Result } from '../../lib/result.ts'
import type { Cause } from '../model/cause.ts'
import type { DeviceKey } from '../model/device.ts'
import type { Command, DeviceState, Readings } from '../model/state.ts'
import type { BusFailure, Priority } from './unit-bus.ts'
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

/** Runs scenes: a run is answered as soon as it has begun, and goes on by itself (Spec 2.4). */
export interface SceneRunner {
  /** What every run would fail with now; null where one can begin. */
  obstacle(): RunFailure | null
  /** A newer run of the same scene cancels the older. */
  run(scene: string, cause: Cause, priority: Priority): Result<{ readonly runId: string }, RunFailure>
  running(scene: string): boolean
}

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
