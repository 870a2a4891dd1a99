import type { Agenda } from '../agenda.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { unitCounters, type Counters } from './counters.ts'
import type { RadioUnit } from './radio-unit.ts'

/** How long one frame keeps the air busy. */
const AIR_MS = 4
const HOP_MS = { least: 5, most: 12 }
/** How long the radio waits for an answer before it sends again. */
const RETRY_MS = 280
const SENDS_MAX = 3

export interface RadioParts {
  readonly agenda: Agenda
  readonly random: SeededRandom
  readonly counters: Counters
  /** Share of the time the adapter may transmit: 0.1 in the band it uses. */
  readonly duty: number
}

/** What became of one exchange over the air. */
export type RadioOutcome = 'answered' | 'no_answer' | 'radio_down'

/** The radio: delays by hop, one frame at a time, and a budget of transmitting time. */
export class Radio {
  readonly #parts: RadioParts
  readonly #budgetMs: number
  #spentMs = 0
  #spentAt = 0
  #freeAt = 0
  readonly #lastReport = new Map<number, number>()
  up = true
  jammed = false

  constructor(parts: RadioParts) {
    this.#parts = parts
    this.#budgetMs = parts.duty * 3_600_000
  }

  /** Milliseconds until the duty budget allows `frames` more; 0 when it does now. */
  dutyWait(frames: number): number {
    const now = this.#parts.agenda.now()
    this.#spentMs = Math.max(0, this.#spentMs - (now - this.#spentAt) * this.#parts.duty)
    this.#spentAt = now
    const over = this.#spentMs + frames * AIR_MS - this.#budgetMs
    return over <= 0 ? 0 : Math.ceil(over / this.#parts.duty)
  }

  /**
   * Sends to a unit; `atUnit` runs there when the frame arrives and calls back when it answers. `carried`: the first
   * frame is one that another exchange has sent already, a group's.
   */
  exchange(
    unit: RadioUnit,
    atUnit: (answer: () => void) => void,
    done: (outcome: RadioOutcome) => void,
    carried = false,
    sends = SENDS_MAX,
  ): void {
    if (!carried) this.#spend(unit)
    const arrival = this.#travel(unit)
    this.#parts.agenda.after(arrival, () => {
      if (!this.up) return done('radio_down')
      if (!unit.answers || this.jammed) return this.#again(unit, atUnit, done, sends - 1)
      atUnit(() => {
        this.#count(unit)
        this.#parts.agenda.after(this.#travel(unit), () => done(this.up ? 'answered' : 'radio_down'))
      })
    })
  }

  /** Brings a unit's own report to the adapter, in the order of sending; it is lost while the radio is down. */
  report(unit: RadioUnit, arrived: () => void): void {
    this.#count(unit)
    if (!this.up || this.jammed || !unit.answers) return
    const due = Math.max(this.#parts.agenda.now() + this.#travel(unit), this.#lastReport.get(unit.address) ?? 0)
    this.#lastReport.set(unit.address, due)
    this.#parts.agenda.after(due - this.#parts.agenda.now(), () => {
      if (this.up) arrived()
    })
  }

  /** When the last report of a unit is at the adapter (by the agenda), or was. */
  reportedAt(address: number): number {
    return this.#lastReport.get(address) ?? -Infinity
  }

  #again(
    unit: RadioUnit,
    atUnit: (answer: () => void) => void,
    done: (outcome: RadioOutcome) => void,
    left: number,
  ): void {
    this.#parts.agenda.after(RETRY_MS, () => {
      if (!this.up) done('radio_down')
      else if (left <= 0) done('no_answer')
      else this.exchange(unit, atUnit, done, false, left)
    })
  }

  #spend(unit: RadioUnit): void {
    this.dutyWait(0)
    this.#spentMs += AIR_MS
    this.#count(unit)
  }

  #count(unit: RadioUnit): void {
    this.#parts.counters.radioFrames++
    unitCounters(this.#parts.counters, unit.address).radioFrames++
  }

  /** Milliseconds until a frame sent now is there: the wait for free air, and every hop. */
  #travel(unit: RadioUnit): number {
    const now = this.#parts.agenda.now()
    const start = Math.max(now, this.#freeAt)
    this.#freeAt = start + AIR_MS
    let hops = 0
    for (let hop = 0; hop < unit.hops; hop++) hops += this.#parts.random.between(HOP_MS.least, HOP_MS.most)
    return start - now + hops
  }
}
