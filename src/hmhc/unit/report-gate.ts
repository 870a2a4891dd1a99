import type { Clock } from '../../lib/clock.ts'

/**
 * Keeps the order of the wire where a reply is followed by a report: the reply's promise is taken up a turn later, so a
 * report passed on at once would overtake it, and an older state would be stored last. After a reply, what follows
 * waits for the next turn.
 */
export class ReportGate<T> {
  readonly #clock: Clock
  readonly #emit: (event: T) => void
  #held: T[] = []
  #shut = false

  constructor(clock: Clock, emit: (event: T) => void) {
    this.#clock = clock
    this.#emit = emit
  }

  /** A reply is about to be handed over. */
  shut(): void {
    if (this.#shut) return
    this.#shut = true
    this.#clock.after(0, () => this.#open())
  }

  pass(event: T): void {
    if (this.#shut || this.#held.length > 0) this.#held.push(event)
    else this.#emit(event)
  }

  #open(): void {
    this.#shut = false
    // A listener may cause a new reply: the rest waits again then.
    while (!this.#shut) {
      const [event] = this.#held
      if (event === undefined) return
      this.#emit(event)
      this.#held.shift()
    }
  }
}
