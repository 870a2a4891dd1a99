import { type Agenda, Countdown } from '../model/agenda.ts'

const REPORT_GAP_MS = 10_000
const REPORT_MAX_MS = 15 * 60_000
/** The counter is a 32 bit number of watt-hours on the wire. */
export const WRAP_WH = 0x1_0000_0000

/** The energy counter of one load: sums its power, wraps at 32 bit, and reports its changes. */
export class EnergyCounter {
  readonly #agenda: Agenda
  readonly #report: (energyWh: number, powerW: number) => void
  readonly #settle: Countdown
  #wattMs: number
  #watts = 0
  #at: number
  #reportedAt: number

  /** @param startWh initial value of the counter */
  constructor(agenda: Agenda, startWh: number, report: (energyWh: number, powerW: number) => void) {
    this.#agenda = agenda
    this.#report = report
    this.#wattMs = startWh * 3_600_000
    this.#at = agenda.now()
    this.#reportedAt = this.#at
    this.#settle = new Countdown(agenda, () => this.#send())
  }

  get watts(): number {
    return this.#watts
  }

  get energyWh(): number {
    return Math.floor((this.#wattMs + this.#watts * (this.#agenda.now() - this.#at)) / 3_600_000) % WRAP_WH
  }

  draw(watts: number): void {
    if (watts === this.#watts) return
    const now = this.#agenda.now()
    this.#wattMs += this.#watts * (now - this.#at)
    this.#at = now
    this.#watts = watts
    this.#settle.startIfIdle(REPORT_GAP_MS)
  }

  /** A load that stays on is reported at least every quarter of an hour. */
  everyMinute(): void {
    if (this.#watts > 0 && this.#agenda.now() - this.#reportedAt >= REPORT_MAX_MS - 60_000) this.#send()
  }

  #send(): void {
    this.#reportedAt = this.#agenda.now()
    this.#report(this.energyWh, this.#watts)
  }
}
