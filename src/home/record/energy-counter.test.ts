import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { longTest } from '#support/when-long.ts'
import { GAP_SPREAD_MAX_MS, QUARTER_MS, energyBetween, spread } from './energy-counter.ts'

const T = Date.UTC(2027, 0, 10)
const MINUTE = 60_000
const WRAP_MWH = 2 ** 32 * 1_000

describe('what a device took between two readings of its counter', () => {
  const cases: readonly (readonly [string, number, number, number, number])[] = [
    ['grows', 5_000, 7_500, MINUTE, 2_500],
    ['stands still', 5_000, 5_000, MINUTE, 0],
    ['wraps after 32 bits', WRAP_MWH - 3_000, 2_000, MINUTE, 5_000],
    ['is reset: what it counted since is known', 900_000_000, 40_000, MINUTE, 40_000],
    ['is replaced by one that stands high: nothing is known', 5_000, 900_000_000, MINUTE, 0],
    ['is replaced by one that stands lower but high: nothing is known', 900_000_000, 800_000_000, MINUTE, 0],
    ['grew a lot in a long gap', 0, 900_000_000, 14 * 24 * 60 * MINUTE, 900_000_000],
    ['comes with a time before the last one', 5_000, 6_000, -MINUTE, 1_000],
  ]
  test.each(cases)('%s', (_, before, after, elapsed, want) => {
    expect(energyBetween({ mwh: before, at: T }, { mwh: after, at: T + elapsed })).toBe(want)
  })
})

describe('spread', () => {
  longTest('gives every mWh to one quarter of the time that passed, evenly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 3 * 86_400_000 }),
        fc.integer({ min: 0, max: QUARTER_MS }),
        (mwh, length, offset) => {
          const shares = spread(mwh, T + offset, T + offset + length)
          expect(shares.reduce((sum, share) => sum + share.mwh, 0)).toBe(mwh)
          for (const { quarter, mwh: share } of shares) {
            expect(quarter % QUARTER_MS).toBe(0)
            const overlap = Math.min(quarter + QUARTER_MS, T + offset + length) - Math.max(quarter, T + offset)
            expect(length === 0 || Math.abs(share - (mwh * overlap) / length) <= 1).toBe(true)
          }
        },
      ),
    )
  })

  test('puts the energy of a very long silence into its last month', () => {
    const shares = spread(1_000_000, T, T + 400 * 86_400_000)
    expect(shares.length).toBeLessThanOrEqual(GAP_SPREAD_MAX_MS / QUARTER_MS + 1)
    expect(shares.reduce((sum, share) => sum + share.mwh, 0)).toBe(1_000_000)
  })

  test('a clock that was put back gives the energy to the quarter it now shows', () => {
    expect(spread(700, T + MINUTE, T)).toEqual([{ quarter: T, mwh: 700 }])
  })
})
