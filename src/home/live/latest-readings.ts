import type { DeviceKey } from '../model/device.ts'
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

  /** Returns the dropped readings. */
  forget(key: DeviceKey): Readings | undefined {
    const known = this.#readings.get(key)?.readings
    this.#readings.delete(key)
    return known
  }
}
