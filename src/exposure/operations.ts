import type { LiveHome } from '../home/live/live-home.ts'
import { type Operation, OPERATIONS_OF } from '../home/model/device.ts'
import { groupOf, type GroupWord } from '../home/model/groups.ts'
import type { ExposedDevice } from './exposed-house.ts'

/** True if the operations of a device depend on its state. */
export function hasLiveOperations(device: Pick<ExposedDevice, 'class'>): boolean {
  return device.class === 'power_switch'
}

/** Present operations of a device (Spec 2.3): a power switch takes `set_temp` while it confirms a climate set point. */
export function operationsNow(
  device: Pick<ExposedDevice, 'class' | 'key'>,
  live: Pick<LiveHome, 'states'>,
): readonly Operation[] {
  const operations = OPERATIONS_OF[device.class]
  if (!hasLiveOperations(device)) return operations
  const state = live.states.get(device.key)?.state
  return state !== undefined && 'temp' in state && state.temp !== null ? [...operations, 'set_temp'] : operations
}

/** Present group of a device (docs/devices.md#groups). */
export function groupNow(
  device: Pick<ExposedDevice, 'class' | 'key' | 'light'>,
  live: Pick<LiveHome, 'states'>,
): GroupWord | null {
  return groupOf(device, operationsNow(device, live))
}
