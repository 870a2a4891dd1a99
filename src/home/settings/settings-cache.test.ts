import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lamp, MINUTE, plain, SCHEDULE, settingsHome, startedSettings, wall } from '#support/homes/settings-home.ts'
import { tempHistory } from '#support/homes/history.ts'
import type { Cause } from '../model/events.ts'
import { REFRESH_AFTER_MS } from './background-reader.ts'

const cause: Cause = { source: 'integration', name: 'API: Test' }

describe('across a restart', () => {
  test('without the adapter the old values are there, with their times', async () => {
    const history = tempHistory()
    const first = startedSettings([lamp, wall], history)
    first.bus.at({ address: 1, gang: null })['led_mode'] = 1
    first.bus.schedules.set(3, [SCHEDULE])
    await first.clock.advanceAsync(MINUTE)
    first.settings.stop()
    const second = settingsHome([lamp, wall], history)
    second.bus.down = 'port'
    second.settings.start()
    onTestFinished(() => second.settings.stop())
    await second.clock.advanceAsync(60 * MINUTE)
    expect(second.settings.get('lamp')).toEqual(first.settings.get('lamp'))
    expect(second.settings.schedulesOf('wall')).toEqual(first.settings.schedulesOf('wall'))
    expect(second.bus.calls).toEqual([])
  })

  test('removed devices are forgotten, in memory and in the store', async () => {
    const home = startedSettings([lamp, wall])
    home.bus.at({ address: 3, gang: 1 })['dark_lux'] = 20
    await home.clock.advanceAsync(MINUTE)
    home.house.replace({ ...home.house.content(), units: [lamp] }, cause)
    expect(home.settings.get('wall:1').size).toBe(0)
    expect([...home.history.settings.load()].filter(({ device }) => device !== 'lamp')).toEqual([])
    expect([...home.history.unitSchedules.load()].map(({ unit }) => unit)).toEqual(['lamp'])
  })

  test('a failing store affects the next start, not this one', async () => {
    const home = startedSettings([lamp])
    vi.spyOn(home.history.settings, 'replace').mockImplementation(() => {
      throw new Error('disk full')
    })
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 1 })
    expect(home.log.sentences('error')).toHaveLength(1)
  })
})

describe('reports from units', () => {
  test('a change at the unit is cached, logged with the unit as its cause, and emitted', async () => {
    const home = startedSettings([lamp])
    Object.assign(home.bus.at({ address: 1, gang: null }), { led_mode: 1, dark_lux: 254 })
    await home.clock.advanceAsync(MINUTE)
    home.bus.report({ kind: 'registers', target: { address: 1, gang: null }, values: { led_mode: 0, dark_lux: 254 } })
    expect(home.settings.get('lamp').get('led_mode')).toEqual({ value: 0, asOf: home.clock.now() })
    expect(home.homeEvents).toMatchObject([
      { kind: 'settings', device: 'lamp', values: { led_mode: 0 }, cause: { source: 'unit', ref: 'lamp' } },
    ])
    expect(home.drafts).toMatchObject([
      { kind: 'setting', subject: { kind: 'device', id: 'lamp' }, what: 'led_mode changed', cause: { source: 'unit' } },
    ])
  })

  test('a change without a report is found by the next read', async () => {
    const home = startedSettings([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    home.bus.at({ address: 1, gang: null })['led_mode'] = 2
    await home.clock.advanceAsync(REFRESH_AFTER_MS)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 2 })
    expect(home.homeEvents).toMatchObject([{ kind: 'settings', values: { led_mode: 2 }, cause: { source: 'unit' } }])
  })

  test('unchanged values emit nothing but are newer', async () => {
    const home = startedSettings([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    home.bus.report({ kind: 'registers', target: { address: 1, gang: null }, values: { led_mode: 1 } })
    expect(home.settings.get('lamp').get('led_mode')?.asOf).toBe(home.clock.now())
    expect(home.homeEvents).toEqual([])
  })

  test('a register that a unit no longer has disappears', async () => {
    const home = startedSettings([lamp])
    const held = home.bus.at({ address: 1, gang: null })
    Object.assign(held, { led_mode: 1, dark_lux: 20 })
    await home.clock.advanceAsync(MINUTE)
    delete held['dark_lux']
    await home.clock.advanceAsync(REFRESH_AFTER_MS)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 1 })
    expect([...home.history.settings.load()]).toMatchObject([{ device: 'lamp', name: 'led_mode' }])
  })

  test('a report of a unit or gang outside the house is ignored', async () => {
    const home = startedSettings([lamp])
    home.bus.report({ kind: 'registers', target: { address: 77, gang: null }, values: { led_mode: 1 } })
    home.bus.report({ kind: 'registers', target: { address: 1, gang: 3 }, values: { led_mode: 1 } })
    expect([...home.history.settings.load()]).toEqual([])
  })
})
