// @module-tag repeated
import { expect } from 'vitest'
import { systemRandom } from '../../lib/random.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { randomLetters } from './spoken-codes.ts'

const CODES = times(5_000, 100_000)
/** Limit of chi-squared for 19 degrees of freedom: chance exceeds it once in a billion runs. */
const CHI_SQUARE_MAX = 81.4

proves('agents.user-code', 'has all letters equally often at every place', () => {
  const counts = Array.from({ length: 8 }, () => new Map<string, number>())
  const codes = new Set<string>()
  for (let made = 0; made < CODES; made++) {
    const code = randomLetters(systemRandom, 8)
    codes.add(code)
    for (const [place, count] of counts.entries())
      count.set(code.charAt(place), (count.get(code.charAt(place)) ?? 0) + 1)
  }
  for (const count of counts) {
    const expected = CODES / 20
    expect(count.size).toBe(20)
    expect([...count.values()].reduce((sum, observed) => sum + (observed - expected) ** 2 / expected, 0)).toBeLessThan(
      CHI_SQUARE_MAX,
    )
  }
  expect(codes.size).toBeGreaterThan(CODES - 10)
})
