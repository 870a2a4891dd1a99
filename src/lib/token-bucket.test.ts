import { describe, expect, it } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { TokenBucket, TokenBuckets } from './token-bucket.ts'

/** Takes all available tokens. */
function drain(bucket: TokenBucket): number {
  let taken = 0
  while (bucket.take()) taken += 1
  return taken
}

describe('a token bucket', () => {
  it('gives its burst at once, then new tokens over time', () => {
    const clock = new ManualClock()
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 5 })
    expect(drain(bucket)).toBe(5)
    expect(bucket.waitSeconds).toBe(0.5)
    clock.advance(250)
    expect(bucket.waitSeconds).toBe(0.25)
    clock.advance(1_250)
    expect(drain(bucket)).toBe(3)
  })

  it('has at most its burst after any pause', () => {
    const clock = new ManualClock()
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 5 })
    clock.advance(3_600_000)
    expect(drain(bucket)).toBe(5)
  })

  it('gives more than it has on credit, and then nothing until that is paid back', () => {
    const clock = new ManualClock()
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 5 })
    expect([bucket.take(9), bucket.take()]).toEqual([true, false])
    expect(bucket.waitSeconds).toBe(2.5)
    clock.advance(2_500)
    expect(drain(bucket)).toBe(1)
  })

  it('is empty during a pause, and has one token at the end', () => {
    const clock = new ManualClock()
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 5 })
    bucket.pause(10)
    expect(bucket.waitSeconds).toBe(10)
    bucket.pause(1)
    expect(bucket.waitSeconds).toBe(10)
    clock.advance(10_000)
    expect(drain(bucket)).toBe(1)
  })
})

describe('token buckets by key', () => {
  it('count each key separately, and return whole seconds until the next token', () => {
    const clock = new ManualClock()
    const buckets = new TokenBuckets(clock, { perSecond: 0.4, burst: 1, keysMax: 10 })
    expect(buckets.take('a')).toBe(0)
    expect(buckets.take('a')).toBe(3)
    expect(buckets.take('b')).toBe(0)
    clock.advance(2_000)
    expect(buckets.take('a')).toBe(1)
    clock.advance(500)
    expect(buckets.take('a')).toBe(0)
  })

  it('drop the least recently used key when there are too many', () => {
    const buckets = new TokenBuckets(new ManualClock(), { perSecond: 1, burst: 1, keysMax: 2 })
    for (const key of ['a', 'b', 'a', 'c']) buckets.take(key)
    expect(buckets.take('a')).toBe(1)
    expect(buckets.take('b')).toBe(0)
  })
})
