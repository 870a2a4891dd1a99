import { describe, expect, test } from 'vitest'
import {
  lamp,
  MINUTE,
  reads,
  SCHEDULE,
  type SettingsHome,
  spot,
  startedSettings,
  wall,
} from '#support/homes/settings-home.ts'
import { unitOf } from '#support/homes/house-content.ts'
import { LOOK_AGAIN_MS, PAUSE_AFTER_FAILURE_MS, REFRESH_AFTER_MS } from './background-reader.ts'

/** The first read comes with the reader's first check. */
const FIRST_READ = LOOK_AGAIN_MS

/** Delays every answer of the bus by a second, as with little air time. */
function answerSlowly(home: SettingsHome): void {
  home.bus.beforeAnswer = () => new Promise((resolve) => home.clock.after(1_000, resolve))
}

describe('background reads', () => {
  test('everything is read once: units, gangs and own schedules, with background priority', async () => {
    const home = startedSettings([
      lamp,
      wall,
      unitOf('tv', 9, { model: 'HMIR', class: 'ir_remote' }),
      unitOf('old', 10, { model: null }),
    ])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 2
    home.bus.at({ address: 3, gang: 1 })['dark_lux'] = 20
    home.bus.schedules.set(3, [SCHEDULE])
    await home.clock.advanceAsync(MINUTE)
    expect(reads(home).sort()).toEqual([
      'read 1 null',
      'read 3 0',
      'read 3 1',
      'read 3 null',
      'schedules 1 null',
      'schedules 3 null',
    ])
    expect(home.bus.calls.every(({ priority }) => priority === 'background')).toBe(true)
    expect(home.settings.get('wall:1').get('dark_lux')).toEqual({
      value: 20,
      asOf: home.clock.now() - MINUTE + FIRST_READ,
    })
    expect(home.settings.schedulesOf('wall')).toEqual({
      schedules: [SCHEDULE],
      asOf: home.clock.now() - MINUTE + FIRST_READ,
    })
    expect(home.settings.schedulesOf('wall:0')?.schedules).toEqual([])
    expect(home.settings.schedulesOf('wall:1')?.schedules).toEqual([SCHEDULE])
    // A first read is no change.
    expect(home.homeEvents).toEqual([])
    expect(home.drafts).toEqual([])
  })

  test('reading the cache sends no frame', async () => {
    const home = startedSettings([lamp, wall])
    await home.clock.advanceAsync(MINUTE)
    const before = home.bus.calls.length
    for (let times = 0; times < 1_000; times += 1)
      for (const key of ['lamp', 'wall', 'wall:0', 'nobody']) {
        home.settings.get(key)
        home.settings.schedulesOf(key)
      }
    await home.clock.advanceAsync(MINUTE)
    expect(home.bus.calls.length).toBe(before)
    expect(home.settings.get('nobody').size).toBe(0)
    expect(home.settings.schedulesOf('nobody')).toBeUndefined()
  })

  test('one read at a time', async () => {
    const home = startedSettings([lamp, spot])
    const door = Promise.withResolvers<void>()
    home.bus.beforeAnswer = () => door.promise
    await home.clock.advanceAsync(MINUTE)
    expect(home.bus.calls.length).toBe(1)
    door.resolve()
    await home.clock.advanceAsync(0)
    expect(home.bus.calls.length).toBe(4)
  })

  test('a unit that joined or came back is read first', async () => {
    const home = startedSettings(Array.from({ length: 200 }, (_, index) => unitOf(`unit-${index}`, index + 1)))
    answerSlowly(home)
    await home.clock.advanceAsync(MINUTE)
    const before = reads(home).length
    home.bus.report({ kind: 'unit', change: 'back', unit: home.bus.units.get(150)! })
    await home.clock.advanceAsync(10_000)
    expect(reads(home).slice(before, before + 2)).toEqual(['read 150 null', 'schedules 150 null'])
    expect(reads(home)[before + 2]).not.toContain(' 150 ')
  })

  test('old values are read again, oldest first, and none too early', async () => {
    const home = startedSettings([lamp, spot])
    await home.clock.advanceAsync(MINUTE)
    expect(home.bus.calls.length).toBe(4)
    await home.clock.advanceAsync(REFRESH_AFTER_MS - 2 * MINUTE)
    expect(home.bus.calls.length).toBe(4)
    await home.clock.advanceAsync(2 * MINUTE)
    expect(reads(home).slice(4)).toEqual(reads(home).slice(0, 4))
  })

  test('after a lost link everything is read again, because changes may have been missed', async () => {
    const home = startedSettings([lamp])
    await home.clock.advanceAsync(MINUTE)
    home.bus.report({ kind: 'link', down: 'port' })
    await home.clock.advanceAsync(60 * MINUTE)
    expect(home.bus.calls.length).toBe(2)
    home.bus.report({ kind: 'link', down: null })
    await home.clock.advanceAsync(MINUTE)
    expect(home.bus.calls.length).toBe(4)
  })

  test('a lost unit is skipped; a silent one is skipped for a while; others continue', async () => {
    const home = startedSettings([lamp, spot, unitOf('third', 4)])
    home.bus.units.set(1, { ...home.bus.units.get(1)!, reachable: false })
    home.bus.failures.set(2, { kind: 'no_answer' })
    await home.clock.advanceAsync(PAUSE_AFTER_FAILURE_MS - MINUTE)
    expect(reads(home).sort()).toEqual(['read 2 null', 'read 4 null', 'schedules 2 null', 'schedules 4 null'])
    home.bus.failures.clear()
    await home.clock.advanceAsync(2 * MINUTE)
    expect(reads(home).slice(4).sort()).toEqual(['read 2 null', 'schedules 2 null'])
  })

  test('a busy adapter is retried when it said', async () => {
    const home = startedSettings([lamp])
    home.bus.failures.set(1, { kind: 'busy', retryMs: 30_000 })
    await home.clock.advanceAsync(FIRST_READ + 29_000)
    expect(home.bus.calls.length).toBe(2)
    home.bus.failures.clear()
    await home.clock.advanceAsync(2 * LOOK_AGAIN_MS)
    expect(home.bus.calls.length).toBe(4)
  })

  test('a bus that accepts nothing now is not asked for one unit after the other', async () => {
    const home = startedSettings([lamp, spot, wall])
    for (const address of [1, 2, 3]) home.bus.failures.set(address, { kind: 'unavailable' })
    await home.clock.advanceAsync(10 * LOOK_AGAIN_MS)
    expect(home.bus.calls.length).toBe(10)
  })

  test('a device without any settings is read only once', async () => {
    const home = startedSettings([lamp])
    await home.clock.advanceAsync(60 * MINUTE)
    expect(home.bus.calls.length).toBe(2)
  })

  test('a bus that throws is logged and does not end the reading', async () => {
    const home = startedSettings([lamp, spot])
    home.bus.beforeAnswer = async ({ target }) => {
      if (target.address === 1) throw new Error('a defect')
    }
    await home.clock.advanceAsync(2 * MINUTE)
    expect(home.log.sentences('error').length).toBeGreaterThan(0)
    expect(reads(home)).toContain('schedules 2 null')
  })

  test('nothing is read after stop', async () => {
    const home = startedSettings(Array.from({ length: 100 }, (_, index) => unitOf(`unit-${index}`, index + 1)))
    answerSlowly(home)
    await home.clock.advanceAsync(FIRST_READ)
    home.settings.stop()
    const before = home.bus.calls.length
    await home.clock.advanceAsync(60 * MINUTE)
    expect(home.bus.calls.length).toBe(before)
    expect(home.clock.waiting).toBe(0)
  })
})
