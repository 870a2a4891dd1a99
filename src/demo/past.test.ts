// @module-tag repeated
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LONG } from '#support/long.ts'
import { beginning, closePasts, type DemoPast, demoPast, NOW } from '#support/homes/demo-past.ts'
import { ZoneTime } from '../lib/zone-time.ts'
import { LIVES } from './demo-plan.ts'
import { PAST_DAYS } from './past.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

afterAll(closePasts)

describe('the demo house has a past', () => {
  let past: DemoPast
  beforeAll(async () => {
    past = await demoPast('demo')
  })

  test('of sixty days that end now, with marked entries and consistent changes', async () => {
    const { entries, house, history, energy } = past
    expect(entries.length).toBeGreaterThan(5_000)
    expect(entries[0]?.at).toBeGreaterThan(NOW - (PAST_DAYS + 1) * DAY)
    expect(entries.at(-1)?.at).toBe(NOW)
    expect(entries.every((entry) => entry.data?.['demo'] === true)).toBe(true)
    expect(entries.every((entry) => entry.subject.kind !== 'device' || house.devices.has(entry.subject.id))).toBe(true)
    const on = new Map<string, unknown>()
    for (const { subject, data } of entries) {
      const to = data?.['to'] as { on?: boolean } | undefined
      if (subject.kind !== 'device' || to?.on === undefined) continue
      expect(to.on).not.toBe(on.get(subject.id))
      on.set(subject.id, to.on)
    }
    const sources = new Set(entries.map((entry) => entry.cause.source))
    // A new home has no integration yet that could have done anything.
    expect([...sources].toSorted()).toEqual(['gateway', 'person', 'scene', 'unit', 'voice'])
    expect(history.writer.counts.failed + history.writer.counts.shed).toBe(0)
    const month = energy.answer({
      devices: [...house.devices.keys()],
      range: { from: NOW - 30 * DAY, to: NOW },
      standing: false,
    })
    expect(month.energy / 30).toBeGreaterThan(5_000)
    expect(month.energy / 30).toBeLessThan(30_000)
    expect(month.series.every((point) => point.energy > 0)).toBe(true)
    const { points } = await history.readings.range('living-climate', 'temperature', NOW - 60 * DAY, NOW, 60)
    expect(points).toHaveLength(60)
    expect(history.detections.page('landing-sensor', null, 200)?.nextCursor).not.toBeNull()
  })

  test('in which the family leaves and comes home at the hours of the simulated house', () => {
    const { entries, house } = past
    const zone = new ZoneTime(house.info.timeZone)
    const usual = LIVES.commuter.workday.filter(
      ([, , doing], index, all) => doing === 'away' || all[index - 1]?.[2] === 'away',
    )
    const atTheDoor = entries.filter(
      ({ subject, cause }) => subject.kind === 'device' && subject.id === 'front-door' && cause.name === 'Jonas',
    )
    const hours = atTheDoor.map(({ at }) => zone.at(at)).filter(({ weekday }) => weekday < 6)
    expect(hours.length).toBeGreaterThan(80)
    for (const { minute } of hours)
      expect(usual.some(([mean, spread]) => minute >= mean - spread && minute <= mean + spread + 2)).toBe(true)
  })

  test('that ends in the first states of the simulated house, by day and by night', async () => {
    for (const { entries, house } of [past, ...(LONG ? [await demoPast('demo', NOW + 11 * HOUR)] : [])]) {
      const left = new Map<string, Record<string, unknown>>()
      for (const { subject, kind, data } of entries)
        if (subject.kind === 'device' && kind === 'state')
          left.set(subject.id, { ...left.get(subject.id), ...(data?.['to'] as object) })
      expect(left.size).toBeGreaterThan(20)
      for (const device of house.devices.values()) {
        const begins = (beginning(device) ?? {}) as Record<string, unknown>
        for (const field of ['on', 'pos', 'locked'])
          if (left.get(device.key)?.[field] !== undefined)
            expect([device.key, field, left.get(device.key)?.[field]]).toEqual([device.key, field, begins[field]])
      }
    }
  })
})
