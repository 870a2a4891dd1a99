import type { Clock } from '@hm-gateway/lib/clock.ts'

/** How long whoever has linked a home waits for it to be reached. */
export const ARRIVES_WITHIN_MS = 5_000

/** Gateways that will be reached in a moment, at whichever node, and those who wait for it. */
export class Arrivals {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves with the next arrival of this gateway, or after `ARRIVES_WITHIN_MS`. */
  next(gateway: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(gateway) ?? new Set()
    const over = (): void => {
      cancel()
      waiting.delete(over)
      if (waiting.size === 0 && this.#waiting.get(gateway) === waiting) this.#waiting.delete(gateway)
      resolve()
    }
    const cancel = this.#clock.after(ARRIVES_WITHIN_MS, over)
    this.#waiting.set(gateway, waiting.add(over))
    return promise
  }

  /** It is reached now. */
  arrived(gateway: string): void {
    for (const over of this.#waiting.get(gateway) ?? []) over()
  }
}
