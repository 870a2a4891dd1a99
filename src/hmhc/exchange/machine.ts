import type { Clock } from '../../lib/clock.ts'

/** The result of a pure machine for an input. */
export interface Transition<S, E> {
  readonly state: S
  readonly effects: readonly E[]
}

/** Holds the state of a pure machine and runs the effects of its steps. */
export class MachineRunner<S, I, E> {
  readonly #step: (state: S, input: I) => Transition<S, E>
  readonly #perform: (effect: E) => void
  /** Inputs that arrived during another one: an adapter in the same process answers before `write` returns. */
  readonly #inbox: I[] = []
  #working = false
  #state: S

  /** @param perform runs one effect; called after the state change */
  constructor(initial: S, step: (state: S, input: I) => Transition<S, E>, perform: (effect: E) => void) {
    this.#state = initial
    this.#step = step
    this.#perform = perform
  }

  get state(): S {
    return this.#state
  }

  /** Handles one input; an input from an effect waits for the earlier effects. */
  take(input: I): void {
    this.#inbox.push(input)
    if (this.#working) return
    this.#working = true
    try {
      for (let one = this.#inbox.shift(); one !== undefined; one = this.#inbox.shift()) {
        const { state, effects } = this.#step(this.#state, one)
        this.#state = state
        for (const effect of effects) this.#perform(effect)
      }
    } finally {
      this.#working = false
    }
  }
}

/** The timers of a machine, at most one per name. */
export class NamedTimers<T extends string> {
  readonly #clock: Clock
  readonly #onLate: (timer: T) => void
  readonly #cancels = new Map<T, () => void>()

  constructor(clock: Clock, onLate: (timer: T) => void) {
    this.#clock = clock
    this.#onLate = onLate
  }

  /** Starts a timer of `ms`, and cancels a running one of this name. */
  set(timer: T, ms: number): void {
    this.cancel(timer)
    this.#cancels.set(
      timer,
      this.#clock.after(ms, () => {
        this.#cancels.delete(timer)
        this.#onLate(timer)
      }),
    )
  }

  cancel(timer: T): void {
    this.#cancels.get(timer)?.()
    this.#cancels.delete(timer)
  }
}
