import type { DeviceKey } from '../model/device.ts'
import type { DeviceState, Readings } from '../model/state.ts'

/** What units last confirmed; null where nothing is known. Reading sends no frame. */
export interface StateReader {
  state(device: DeviceKey): DeviceState | null
  readings(unit: string): Readings | null
}
