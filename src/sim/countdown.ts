import type { Agenda, Cancel } from './agenda.ts'

/** One deadline that may be put off as often as wanted: putting it off adds no entry to the agenda. */
export class Countdown {
  readonly #agenda: Agenda
  readonly #run: () => void
  #deadline = Infinity
  #armed = Infinity
  #cancel: Cancel = () => {}

  constructor(agenda: Agenda, run: () => void) {
    this.#agenda = agenda
    this.#run = run
  }

  get running(): boolean {
    return this.#deadline !== Infinity
  }

  /** Sets the deadline `delayMs` from now; an earlier one is forgotten. */
  start(delayMs: number): void {
    this.#deadline = this.#agenda.now() + delayMs
    if (this.#armed > this.#deadline) this.#arm()
  }

  /** Starts only where nothing runs. */
  startIfIdle(delayMs: number): void {
    if (!this.running) this.start(delayMs)
  }

  stop(): void {
    this.#deadline = Infinity
  }

  #arm(): void {
    this.#cancel()
    this.#armed = this.#deadline
    this.#cancel = this.#agenda.after(this.#deadline - this.#agenda.now(), () => this.#reached())
  }

  #reached(): void {
    this.#armed = Infinity
    if (!this.running) return
    if (this.#deadline > this.#agenda.now()) return this.#arm()
    this.#deadline = Infinity
    this.#run()
  }
}
