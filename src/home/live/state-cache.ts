import type { DeviceKey, DeviceState, Readings } from '../model/device.ts'

/** A confirmed state with the time of its confirmation (epoch ms) and its immutable wire form. */
class CachedState {
  readonly state: DeviceState
  readonly asOf: number
  /** Time of the first confirmation of this state (epoch ms); repeated confirmations do not change it. */
  readonly since: number
  /** True if the state began then. False: it is the first known one and began earlier. */
  readonly isBeginning: boolean
  #json: string | null = null

  constructor(state: DeviceState, asOf: number, begun: Pick<CachedState, 'since' | 'isBeginning'>) {
    this.state = state
    this.asOf = asOf
    this.since = begun.since
    this.isBeginning = begun.isBeginning
  }

  /** The state as JSON with `asOf`. It holds no id, so it is built once for all integrations, on first use. */
  get json(): string {
    return (this.#json ??= JSON.stringify({ ...this.state, asOf: this.asOf }))
  }
}

/** The last confirmed state of every device; a device that never confirmed one is missing. */
export class StateCache {
  readonly #states = new Map<DeviceKey, CachedState>()

  get(key: DeviceKey): CachedState | undefined {
    return this.#states.get(key)
  }

  /** Takes a confirmed state; returns the previous one and whether it differs. */
  confirm(
    key: DeviceKey,
    state: DeviceState,
    asOf: number,
  ): { readonly previous: DeviceState | null; readonly changed: boolean } {
    const known = this.#states.get(key)
    const changed = !known || !sameState(known.state, state)
    const begun = known && !changed ? known : { since: asOf, isBeginning: known !== undefined }
    this.#states.set(key, new CachedState(state, asOf, begun))
    return { previous: known?.state ?? null, changed }
  }

  /** True if a state was known. */
  forget(key: DeviceKey): boolean {
    return this.#states.delete(key)
  }
}

/** States are flat records of primitives. */
function sameState(a: DeviceState, b: DeviceState): boolean {
  const left = Object.entries(a)
  return (
    left.length === Object.keys(b).length &&
    left.every(([name, value]) => (b as Record<string, unknown>)[name] === value)
  )
}

/** Readings of a device with the moment of its last report (epoch ms). */
interface Latest {
  readonly readings: Readings
  readonly asOf: number
}

/** The last reported readings of every unit, and of every gang that measures its own power. */
export class LatestReadings {
  readonly #readings = new Map<DeviceKey, Latest>()

  get(key: DeviceKey): Latest | undefined {
    return this.#readings.get(key)
  }

  /** Adds readings to the known ones; a report never removes any. */
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
