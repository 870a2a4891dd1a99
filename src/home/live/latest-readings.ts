import { type DeviceKey, parseDeviceKey } from '../model/device.ts'
import type { Readings } from '../model/state.ts'
import { sameState } from './state-cache.ts'

/** Readings of a device with the moment of its last report (epoch ms). */
export interface Latest {
  readonly readings: Readings
  readonly asOf: number
}

/** The last reported readings of every unit, and of every gang that measures its own power. */
export class LatestReadings {
  readonly #readings = new Map<DeviceKey, Latest>()

  get(key: DeviceKey): Latest | undefined {
    return this.#readings.get(key)
  }

  /** Adds readings to the known ones, which a report never takes away. */
  merge(
    key: DeviceKey,
    readings: Readings,
    asOf: number,
  ): { readonly merged: Readings; readonly known: Readings | null; readonly differs: boolean } {
    const known = this.#readings.get(key)?.readings ?? null
    const merged = { ...known, ...readings }
    this.#readings.set(key, { readings: merged, asOf })
    return { merged, known, differs: known === null || !sameState(known, merged) }
  }

  /** Forgets a unit and its gangs. Returns the dropped readings. */
  forget(unit: string): readonly (readonly [DeviceKey, Latest])[] {
    const dropped = [...this.#readings].filter(([key]) => parseDeviceKey(key).unit === unit)
    for (const [key] of dropped) this.#readings.delete(key)
    return dropped
  }
}
