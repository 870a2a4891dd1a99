import type { Agenda, Cancel } from '../agenda.ts'

/** The ramp between two levels of light: computed when asked, one entry on the agenda for its end. */
export class Fade {
  readonly #agenda: Agenda
  #from = 0
  #startedAt = 0
  #lastsMs = 0
  #cancel: Cancel = () => {}

  constructor(agenda: Agenda) {
    this.#agenda = agenda
  }

  /** The level now, on the way to `target`. */
  level(target: number): number {
    if (this.#lastsMs === 0) return target
    const share = Math.min(1, (this.#agenda.now() - this.#startedAt) / this.#lastsMs)
    return this.#from + (target - this.#from) * share
  }

  /** Starts at level `from`; `ended` runs when the ramp is over, and never for one of no length. */
  start(from: number, lastsMs: number, ended: () => void): void {
    this.cancel()
    if (lastsMs === 0) return
    this.#from = from
    this.#startedAt = this.#agenda.now()
    this.#lastsMs = lastsMs
    this.#cancel = this.#agenda.after(lastsMs, () => {
      this.#lastsMs = 0
      ended()
    })
  }

  cancel(): void {
    this.#cancel()
    this.#lastsMs = 0
  }
}
