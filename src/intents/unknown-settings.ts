import type { DeviceKey, RegisterValues } from '../home/model/device.ts'
import type { Log } from '../lib/log.ts'

/**
 * Beyond this many the log would only repeat itself; a home has some thousand registers that could be strange at once.
 */
const SEEN_MAX = 10_000

/** Says once for each device, register and number that a unit holds something whose meaning nobody knows. */
export class UnknownSettings {
  readonly #log: Log
  readonly #seen = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Takes what a reading could not decode; null is fine. */
  note(device: DeviceKey, unknown: RegisterValues | null): void {
    for (const [register, raw] of Object.entries(unknown ?? {})) {
      const fact = `${device} ${register} ${raw}`
      if (this.#seen.has(fact) || this.#seen.size >= SEEN_MAX) continue
      this.#seen.add(fact)
      this.#log.warn(
        { device, register, raw },
        'A unit holds a setting outside its coding; it is shown as the raw number.',
      )
    }
  }
}
