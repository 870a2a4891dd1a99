import type { Agenda, Cancel } from '../agenda.ts'
import type { Move } from '../bus-types.ts'

/** A device on the move reports its position this often. */
const PROGRESS_MS = 2_000

export interface TravelTimes {
  /** Whole way closed to open, and open to closed. */
  readonly upMs: number
  readonly downMs: number
  /** From power to motion. */
  readonly activatingMs: number
  /** Added when the direction changes. */
  readonly flipMs: number
}

/** The way of a shutter, curtain or gate: its position is computed when asked; only its end is on the agenda. */
export class Travel {
  readonly #agenda: Agenda
  readonly #times: () => TravelTimes
  #from: number
  #target: number
  #startsAt = 0
  #move: Move = 'stopped'
  #last: Move = 'stopped'
  #cancelEnd: Cancel = () => {}
  #cancelProgress: Cancel = () => {}

  constructor(agenda: Agenda, pos: number, times: () => TravelTimes) {
    this.#agenda = agenda
    this.#times = times
    this.#from = this.#target = pos
  }

  get move(): Move {
    return this.#move
  }

  get target(): number {
    return this.#target
  }

  /** 0 closed to 100 open, with fractions. */
  get position(): number {
    if (this.#move === 'stopped') return this.#from
    const gone = (Math.max(0, this.#agenda.now() - this.#startsAt) / this.#fullMs()) * 100
    return this.#move === 'opening'
      ? Math.min(this.#target, this.#from + gone)
      : Math.max(this.#target, this.#from - gone)
  }

  /** Sets out for `target`; `progress` runs now and then on the way, `arrived` at its end. */
  go(target: number, progress: () => void, arrived: () => void): void {
    const position = this.position
    const direction: Move = target > position ? 'opening' : 'closing'
    const rolling = this.#move === direction && this.#agenda.now() >= this.#startsAt
    this.stop()
    if (Math.abs(target - position) < 0.5) return
    const { activatingMs, flipMs } = this.#times()
    const flips = this.#last !== 'stopped' && this.#last !== direction
    this.#startsAt = this.#agenda.now() + (rolling ? 0 : activatingMs + (flips ? flipMs : 0))
    this.#target = target
    this.#move = this.#last = direction
    const wayMs = (Math.abs(target - position) / 100) * this.#fullMs()
    this.#cancelEnd = this.#agenda.after(this.#startsAt - this.#agenda.now() + wayMs, () => {
      this.#from = target
      this.#rest()
      arrived()
    })
    this.#cancelProgress = this.#agenda.every(PROGRESS_MS, progress)
  }

  /** Stops where it is. */
  stop(): void {
    this.#from = this.#target = this.position
    this.#rest()
  }

  #rest(): void {
    this.#cancelEnd()
    this.#cancelProgress()
    this.#move = 'stopped'
    this.#target = this.#from
  }

  #fullMs(): number {
    const { upMs, downMs } = this.#times()
    return Math.max(1, this.#move === 'opening' ? upMs : downMs)
  }
}
