import { describe, expect, test } from 'vitest'
import { HomeTime } from './home-time.ts'

const at = (iso: string): number => Date.parse(iso)

describe('the home’s time', () => {
  test.each([
    ['2026-11-01', '2026-10-31T23:00:00Z'],
    ['2026-07-01T12:00', '2026-07-01T10:00:00Z'],
    ['2026-07-01 12:00:30', '2026-07-01T10:00:30Z'],
    ['2026-07-01T12:00Z', '2026-07-01T12:00:00Z'],
    ['2026-07-01T12:00+09:00', '2026-07-01T03:00:00Z'],
  ])('is read from %s', (text, moment) => {
    expect(new HomeTime('Europe/Berlin').parsed(text)).toBe(at(moment))
  })

  test.each(['soon', '2026-13-01', '2026-02-30', '1969-12-31T00:00Z', ''])('is not read from "%s"', (text) => {
    expect(() => new HomeTime('Europe/Berlin').parsed(text)).toThrow('is not a time such as')
  })

  test('is refused with each form that would be accepted', () => {
    expect(() => new HomeTime('Europe/Berlin').ahead('2 hours', 0)).toThrow(
      '"2 hours" is not a time such as 45m, 2h, 3d, 2027-01-31, 2027-01-31T12:00 or 2027-01-31T12:00Z.',
    )
  })

  test('is printed in summer and winter, with a note only if it was printed', () => {
    const time = new HomeTime('Europe/Berlin')
    expect(time.explained('Nothing.')).toBe('Nothing.')
    expect(time.when(null)).toBe('-')
    expect(time.explained('Nothing.')).toBe('Nothing.')
    expect(time.when(at('2026-07-01T22:30:05Z'))).toBe('2026-07-02 00:30:05')
    expect(time.day(at('2026-11-21T23:30:00Z'))).toBe('2026-11-22')
    expect(time.explained('Then.')).toBe("Then.\nTimes are the home's (Europe/Berlin).")
  })
})
