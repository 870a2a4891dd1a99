import type { DeviceKey } from '../model/device.ts'

/** Name and room (its local id) of a device as last known. */
export interface DevicePlace {
  readonly name: string
  readonly room: string | null
}

/** Keeps the last known name and room of every device, also of those that left the house. */
export interface DevicePlaceStore {
  /** The longest known first. */
  all(): ReadonlyMap<DeviceKey, DevicePlace>
  save(device: DeviceKey, place: DevicePlace, at: number): void
  forget(device: DeviceKey): void
}
