import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../lib/durations.ts'
import { GAP_SPREAD_MAX_MS, growthBetween, QUARTER_MS, spread } from './energy-counter.ts'

const T = Date.UTC(2027, 0, 10)
const MINUTE = 60_000
const WRAP_MWH = 2 ** 32 * 1_000

/** A device that used at most 2 kWh on a day and 0.5 kWh in a quarter of an hour. */
const SOME = { dayMwh: 2_000_000, quarterMwh: 500_000 }
const UNKNOWN = { dayMwh: 0, quarterMwh: 0 }
const KWH = 1_000_000

describe('energy between two readings of a counter', () => {
  const believed: readonly (readonly [string, number, number, number, typeof SOME, number])[] = [
    ['grows', 5_000, 7_500, MINUTE, UNKNOWN, 2_500],
    ['stands still', 5_000, 5_000, MINUTE, UNKNOWN, 0],
    ['wraps after 32 bits', WRAP_MWH - 3_000, 2_000, MINUTE, UNKNOWN, 5_000],
    ['wraps after 32 bits in a long silence', WRAP_MWH - 3 * KWH, 2 * KWH, 5 * DAY_MS, SOME, 5 * KWH],
    ['is reset: it counted the rest since', 900 * KWH, 40_000, MINUTE, UNKNOWN, 40_000],
    ['is reset in a long silence', 900 * KWH, 9 * KWH, 5 * DAY_MS, SOME, 9 * KWH],
    ['grows by 1 kWh, without a past', 0, KWH, 20 * MINUTE, UNKNOWN, KWH],
    ['grows by three times the largest day, a day', 0, 30 * KWH, 5 * DAY_MS, SOME, 30 * KWH],
    ['grows at its highest power for an hour', 0, 2 * KWH, 60 * MINUTE, SOME, 2 * KWH],
    ['grows by the power of a house between two reports', 0, 2 * KWH, MINUTE, UNKNOWN, 2 * KWH],
    ['comes with a time before the last one', 5_000, 6_000, -MINUTE, UNKNOWN, 1_000],
  ]
  test.each(believed)("equals the counter's growth if it %s", (_, before, after, elapsed, largest, mwh) => {
    const growth = growthBetween({ mwh: before, at: T }, { mwh: after, at: T + elapsed, powerW: 0 }, () => largest)
    expect(growth).toEqual({ mwh, jumped: false })
  })

  test("equals the counter's growth for a charger of 11 kW that reports every 15 minutes from its first hour on", () => {
    const charger = (minutes: number, kWh: number) =>
      growthBetween({ mwh: 0, at: T }, { mwh: kWh * KWH, at: T + minutes * MINUTE, powerW: 11_000 }, () => UNKNOWN)
    expect(charger(15, 2.75)).toEqual({ mwh: 2.75 * KWH, jumped: false })
    expect(charger(15, 6)).toMatchObject({ jumped: true })
    expect(charger(120, 22)).toMatchObject({ jumped: true })
  })

  const jumps: readonly (readonly [string, number, number, number, typeof SOME, number])[] = [
    ['a minute', 5_000, 900 * KWH, MINUTE, SOME, 900 * KWH - 5_000],
    ['ten minutes, without a past', 0, 5 * KWH, 10 * MINUTE, UNKNOWN, 5 * KWH],
    ['ten minutes, with a past', 0, 5 * KWH, 10 * MINUTE, SOME, 5 * KWH],
    ['half a day', 0, 7 * KWH, DAY_MS / 2, SOME, 7 * KWH],
    ['five days', 0, 1_321 * KWH, 5 * DAY_MS, SOME, 1_321 * KWH],
    ['ninety days', 0, 541 * KWH, 90 * DAY_MS, SOME, 541 * KWH],
    ['ninety days, without a past', 0, KWH + 1, 90 * DAY_MS, UNKNOWN, KWH + 1],
    ['a clock that went back', 0, 2 * KWH, -5 * DAY_MS, SOME, 2 * KWH],
    ['five days, to a lower value', 900 * KWH, 800 * KWH, 5 * DAY_MS, SOME, 800 * KWH],
  ]
  test.each(jumps)(
    'is a jump after %s if the device never used that much',
    (_, before, after, elapsed, largest, mwh) => {
      const growth = growthBetween({ mwh: before, at: T }, { mwh: after, at: T + elapsed, powerW: 0 }, () => largest)
      expect(growth).toEqual({ mwh, jumped: true })
    },
  )
})

describe('spread', () => {
  test('assigns every mWh evenly to one quarter of the elapsed time', { tags: ['long'] }, () => {
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

  test('assigns the energy of a very long silence to its last month', () => {
    const shares = spread(1_000_000, T, T + 400 * 86_400_000)
    expect(shares.length).toBeLessThanOrEqual(GAP_SPREAD_MAX_MS / QUARTER_MS + 1)
    expect(shares.reduce((sum, share) => sum + share.mwh, 0)).toBe(1_000_000)
  })

  test('assigns the energy to the displayed quarter after a clock was set back', () => {
    expect(spread(700, T + MINUTE, T)).toEqual([{ quarter: T, mwh: 700 }])
  })
})
