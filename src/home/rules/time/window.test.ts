import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import type { WindowCondition } from '../model.ts'
import type { Where } from './occurrence.ts'
import { inWindow } from './window.ts'

const berlin: Where = { zone: 'Europe/Berlin', place: { latitude: 52.52, longitude: 13.405 } }
const tromso: Where = { zone: 'Europe/Oslo', place: { latitude: 69.65, longitude: 18.96 } }

const holds = (window: WindowCondition, local: string, where: Where = berlin): boolean =>
  inWindow(window, Temporal.PlainDateTime.from(local).toZonedDateTime(where.zone).epochMilliseconds, where)

describe('a time window', () => {
  it('includes its start and not its end', () => {
    const window = { after: '08:00', before: '18:00' }
    expect(holds(window, '2027-05-03T07:59:59')).toBe(false)
    expect(holds(window, '2027-05-03T08:00')).toBe(true)
    expect(holds(window, '2027-05-03T17:59:59')).toBe(true)
    expect(holds(window, '2027-05-03T18:00')).toBe(false)
  })

  it('goes over midnight and belongs to the weekday it began on', () => {
    const friday = { after: '22:00', before: '06:00', days: [5] } as const
    expect(holds(friday, '2027-05-07T23:00')).toBe(true)
    expect(holds(friday, '2027-05-08T05:59')).toBe(true)
    expect(holds(friday, '2027-05-07T05:59')).toBe(false)
    expect(holds(friday, '2027-05-08T22:30')).toBe(false)
  })

  it('lasts to the end of the day without an end, and from its start without a start', () => {
    expect(holds({ after: '20:00' }, '2027-05-03T23:59')).toBe(true)
    expect(holds({ after: '20:00' }, '2027-05-04T00:00')).toBe(false)
    expect(holds({ before: '06:00' }, '2027-05-04T00:00')).toBe(true)
    expect(holds({ before: '06:00' }, '2027-05-04T06:00')).toBe(false)
    expect(holds({ days: [1] }, '2027-05-03T12:00')).toBe(true)
    expect(holds({ days: [1] }, '2027-05-04T12:00')).toBe(false)
  })

  it('follows the sun', () => {
    const dark = { after: 'sunset', before: 'sunrise' }
    expect(holds(dark, '2027-06-21T21:00')).toBe(false)
    expect(holds(dark, '2027-06-21T22:00')).toBe(true)
    expect(holds(dark, '2027-06-21T04:00')).toBe(true)
    expect(holds(dark, '2027-06-21T05:00')).toBe(false)
    expect(holds({ after: 'sunset', before: '01:00' }, '2027-06-22T00:30')).toBe(true)
    expect(holds({ after: '06:30', before: 'sunrise' }, '2027-12-21T07:00')).toBe(true)
  })

  it('is empty, not a day long, when the sun sets after its end', () => {
    for (const hour of ['03', '12', '21', '23'])
      expect(holds({ after: 'sunset', before: '21:00' }, `2027-06-21T${hour}:30`)).toBe(false)
    for (const hour of ['03', '07', '12'])
      expect(holds({ after: '06:30', before: 'sunrise' }, `2027-06-21T${hour}:30`)).toBe(false)
  })

  it('is always dark in polar night, and never under the midnight sun', () => {
    const dark = { after: 'sunset', before: 'sunrise' }
    const light = { after: 'sunrise', before: 'sunset' }
    for (const hour of ['00', '06', '12', '18']) {
      expect(holds(dark, `2027-12-21T${hour}:00`, tromso)).toBe(true)
      expect(holds(light, `2027-12-21T${hour}:00`, tromso)).toBe(false)
      expect(holds(dark, `2027-06-21T${hour}:00`, tromso)).toBe(false)
      expect(holds(light, `2027-06-21T${hour}:00`, tromso)).toBe(true)
    }
  })

  it('never holds by the sun when nobody said where the home is', () => {
    expect(
      holds({ after: 'sunset', before: 'sunrise' }, '2027-12-21T00:00', { zone: 'Europe/Berlin', place: null }),
    ).toBe(false)
  })
})
