import type { Clock } from './clock.ts'

/** `perSecond` tokens on average, `burst` at once after a rest. */
export interface BucketOptions {
  readonly perSecond: number
  readonly burst: number
}

/** Tokens that come back steadily; full in the beginning. */
export class TokenBucket {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #burst: number
  #tokens: number
  #at: number

  constructor(clock: Clock, options: BucketOptions) {
    this.#clock = clock
    this.#perSecond = options.perSecond
    this.#burst = options.burst
    this.#tokens = options.burst
    this.#at = clock.monotonic()
  }

  /** Seconds until there is a token; 0 when there is one now. */
  get waitSeconds(): number {
    this.#fill()
    return this.#tokens < 1 ? (1 - this.#tokens) / this.#perSecond : 0
  }

  /** Takes so many tokens, the last of them on credit; false where there is none. */
  take(count = 1): boolean {
    if (this.waitSeconds > 0) return false
    this.#tokens -= count
    return true
  }

  /** Takes so many tokens, all of them on credit if need be. */
  charge(count: number): void {
    this.#fill()
    this.#tokens -= count
  }

  /** Gives up all tokens, and has none for at least this many seconds. */
  pause(seconds: number): void {
    this.#fill()
    this.#tokens = Math.min(this.#tokens, 0, 1 - seconds * this.#perSecond)
  }

  #fill(): void {
    const now = this.#clock.monotonic()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
  }
}

/** A bucket for each key. Holds at most `keysMax` keys; the longest unused goes first. */
export class TokenBuckets {
  readonly #clock: Clock
  readonly #options: BucketOptions & { readonly keysMax: number }
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(clock: Clock, options: BucketOptions & { readonly keysMax: number }) {
    this.#clock = clock
    this.#options = options
  }

  /** Takes so many tokens; answers 0 when there was one, else the seconds (at least 1) until there is one again. */
  take(key: string, count = 1): number {
    const known = this.#buckets.get(key)
    const bucket = known ?? new TokenBucket(this.#clock, this.#options)
    if (!known || this.#buckets.size >= this.#options.keysMax) this.#keep(key, bucket)
    return bucket.take(count) ? 0 : secondsOf(bucket)
  }

  /** As `take`, without taking: a key that never took has its whole burst. */
  waitOf(key: string): number {
    const bucket = this.#buckets.get(key)
    return bucket === undefined || bucket.waitSeconds === 0 ? 0 : secondsOf(bucket)
  }

  /** Takes so many tokens from a bucket that was taken from, all of them on credit if need be. */
  charge(key: string, count: number): void {
    this.#buckets.get(key)?.charge(count)
  }

  #keep(key: string, bucket: TokenBucket): void {
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#options.keysMax) {
      const oldest = this.#buckets.keys().next()
      if (!oldest.done) this.#buckets.delete(oldest.value)
    }
  }
}

/** Whole seconds until a bucket has a token, at least 1. */
const secondsOf = (bucket: TokenBucket): number => Math.max(1, Math.ceil(bucket.waitSeconds))
