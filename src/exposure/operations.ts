import type { LiveHome } from '../home/live/live-home.ts'
import {
  lacksOperation,
  type Operation,
  OPERATIONS_OF,
  SHOWN_CAPABILITIES,
  type UnitCapability,
} from '../home/model/device.ts'
import { groupOf, type GroupWord } from '../home/model/groups.ts'
import type { ExposedDevice } from './exposed-house.ts'

/** True if the operations of a device depend on its state or its unit. */
export function hasLiveOperations(device: Pick<ExposedDevice, 'class'>): boolean {
  return OPERATIONS_OF[device.class].includes('set_mode')
}

/**
 * Present operations of a device (Spec 2.3). A power switch takes `set_temp` while it confirms a climate set point. A
 * unit without modes or levels lacks their operations.
 */
export function operationsNow(
  device: Pick<ExposedDevice, 'class' | 'key'>,
  live: Pick<LiveHome, 'states' | 'capabilities'>,
): readonly Operation[] {
  const operations = ownOperations(OPERATIONS_OF[device.class], live.capabilities(device.key))
  if (device.class !== 'power_switch') return operations
  const state = live.states.get(device.key)?.state
  return state !== undefined && 'temp' in state && state.temp !== null ? [...operations, 'set_temp'] : operations
}

/** Capabilities of a device beyond its operations. */
export function shownCapabilities(
  { key }: Pick<ExposedDevice, 'key'>,
  live: Pick<LiveHome, 'capabilities'>,
): readonly string[] {
  const capabilities = live.capabilities(key)
  return SHOWN_CAPABILITIES.filter((capability) => capabilities.includes(capability))
}

/** The same array if the unit lacks none of them, because most units do. */
function ownOperations(
  operations: readonly Operation[],
  capabilities: readonly UnitCapability[],
): readonly Operation[] {
  return operations.some((op) => lacksOperation(op, capabilities))
    ? operations.filter((op) => !lacksOperation(op, capabilities))
    : operations
}

/** Present group of a device (docs/devices.md#groups). */
export function groupNow(
  device: Pick<ExposedDevice, 'class' | 'key' | 'light'>,
  live: Pick<LiveHome, 'states' | 'capabilities'>,
): GroupWord | null {
  return groupOf(device, operationsNow(device, live))
}
