import type { Clock } from './clock.ts'

/** `perSecond` tokens on average, `burst` at once after a pause. */
export interface BucketOptions {
  readonly perSecond: number
  readonly burst: number
}

/** Tokens that refill steadily; full at the start. */
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

  /** Seconds until the next token; 0 if there is one now. */
  get waitSeconds(): number {
    this.#fill()
    return this.#tokens < 1 ? (1 - this.#tokens) / this.#perSecond : 0
  }

  /** Takes `count` tokens, the last of them on credit; false if the bucket is empty. */
  take(count = 1): boolean {
    if (this.waitSeconds > 0) return false
    this.#tokens -= count
    return true
  }

  /** Takes `count` tokens, on credit if necessary. */
  charge(count: number): void {
    this.#fill()
    this.#tokens -= count
  }

  /** Drops all tokens for at least this many seconds. */
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

/** A bucket for each key. Has at most `keysMax` keys; the least recently used is dropped first. */
export class TokenBuckets {
  readonly #clock: Clock
  readonly #options: BucketOptions & { readonly keysMax: number }
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(clock: Clock, options: BucketOptions & { readonly keysMax: number }) {
    this.#clock = clock
    this.#options = options
  }

  /** Takes `count` tokens; returns 0 on success, else the seconds (at least 1) until the next token. */
  take(key: string, count = 1): number {
    const known = this.#buckets.get(key)
    const bucket = known ?? new TokenBucket(this.#clock, this.#options)
    if (!known || this.#buckets.size >= this.#options.keysMax) this.#keep(key, bucket)
    return bucket.take(count) ? 0 : secondsOf(bucket)
  }

  /** The wait of `take`, without taking; an unknown key has its whole burst. */
  waitOf(key: string): number {
    const bucket = this.#buckets.get(key)
    return bucket === undefined || bucket.waitSeconds === 0 ? 0 : secondsOf(bucket)
  }

  /** Takes `count` tokens from a used bucket, on credit if necessary. */
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
