import type { Result } from '../../lib/result.ts'
import type { Cause } from '../model/cause.ts'
import type { DeviceKey } from '../model/device.ts'
import type { Command, DeviceState } from '../model/state.ts'
import type { BusFailure, Priority } from './unit-bus.ts'

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
