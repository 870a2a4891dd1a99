import type { DeviceKey, RegisterValues } from '../home/model/device.ts'
import type { Log } from '../lib/log.ts'

/**
 * Most noted facts: beyond it the log would only repeat itself. A home has some thousand registers that could be
 * unknown at once.
 */
const LOGGED_MAX = 10_000

/** Logs once for each device, register and number that its meaning is unknown. */
export class UnknownSettings {
  readonly #log: Log
  readonly #logged = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Takes the undecoded registers of a reading; null if there are none. */
  note(device: DeviceKey, unknown: RegisterValues | null): void {
    for (const [register, raw] of Object.entries(unknown ?? {})) {
      const fact = `${device} ${register} ${raw}`
      if (this.#logged.has(fact) || this.#logged.size >= LOGGED_MAX) continue
      this.#logged.add(fact)
      this.#log.warn(
        { device, register, raw },
        'A unit has a setting with an unknown number. It is shown as that number.',
      )
    }
  }
}
