import type { Clock } from './clock.ts'

/** Counts per key, refilled steadily: `perSecond` on average, `burst` at once. Holds at most `keysMax` keys; the longest unused goes first. */
export class TokenBuckets {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #burst: number
  readonly #keysMax: number
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  constructor(clock: Clock, options: { readonly perSecond: number; readonly burst: number; readonly keysMax: number }) {
    this.#clock = clock
    this.#perSecond = options.perSecond
    this.#burst = options.burst
    this.#keysMax = options.keysMax
  }

  /** Takes one token; answers 0 when there was one, else the seconds (at least 1) until there is one again. */
  take(key: string): number {
    const at = this.#clock.monotonic()
    const known = this.#buckets.get(key)
    const bucket = known ?? { tokens: this.#burst, at }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((at - bucket.at) / 1000) * this.#perSecond)
    bucket.at = at
    if (!known || this.#buckets.size >= this.#keysMax) this.#keep(key, bucket)
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond))
    bucket.tokens -= 1
    return 0
  }

  #keep(key: string, bucket: { tokens: number; at: number }): void {
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#keysMax) {
      const oldest = this.#buckets.keys().next()
      if (!oldest.done) this.#buckets.delete(oldest.value)
    }
  }
}
