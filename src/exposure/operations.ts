import type { LiveHome } from '../home/live/live-home.ts'
import { type Operation, OPERATIONS_OF } from '../home/model/device.ts'
import type { ExposedDevice } from './exposed-house.ts'

/** Whether the state of a device decides which operations it accepts. */
export function hasLiveOperations(device: Pick<ExposedDevice, 'class'>): boolean {
  return device.class === 'power_switch'
}

/**
 * The operations that a device accepts now (Spec 2.3): a power switch takes `set_temp` while it confirms a climate set
 * point.
 */
export function operationsNow(
  device: Pick<ExposedDevice, 'class' | 'key'>,
  live: Pick<LiveHome, 'states'>,
): readonly Operation[] {
  const operations = OPERATIONS_OF[device.class]
  if (!hasLiveOperations(device)) return operations
  const state = live.states.get(device.key)?.state
  return state !== undefined && 'temp' in state && state.temp !== null ? [...operations, 'set_temp'] : operations
}
