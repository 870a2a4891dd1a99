import type { Clock } from '../../lib/clock.ts'
import { FOLD_AFTER, FOLD_MS } from '../model/messages.ts'
import type { MessageUrgency } from '../model/recipients.ts'

/**
 * The limit of messages on one channel: after `FOLD_AFTER` in `FOLD_MS` the rest is one message with their number.
 * Alarms always pass.
 */
export class Fold {
  readonly #clock: Clock
  readonly #more: (count: number) => void
  /** Monotonic times of the last sent messages, oldest first. */
  #times: readonly number[] = []
  #count = 0
  #cancel: (() => void) | null = null

  /** @param more sends the message with the number of folded ones. */
  constructor(clock: Clock, more: (count: number) => void) {
    this.#clock = clock
    this.#more = more
  }

  /** True if the message is sent by itself. */
  admits(urgency: MessageUrgency): boolean {
    const now = this.#clock.monotonic()
    this.#times = this.#times.filter((time) => now - time < FOLD_MS).slice(-FOLD_AFTER)
    const isFull = this.#times.length >= FOLD_AFTER || this.#count > 0
    if (urgency !== 'alarm' && isFull) {
      this.#count += 1
      const oldest = this.#times[0] ?? now
      this.#cancel ??= this.#clock.after(oldest + FOLD_MS - now, () => this.#send())
      return false
    }
    this.#times = [...this.#times, now]
    return true
  }

  stop(): void {
    this.#cancel?.()
  }

  #send(): void {
    const count = this.#count
    this.#count = 0
    this.#cancel = null
    this.#more(count)
  }
}
