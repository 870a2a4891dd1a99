import { afterEach, describe, expect, test } from 'vitest'
import { MemorySchedules, MemorySettings, settingsHome, unitOf } from '#support/homes/settings-home.ts'
import type { Cause } from '../model/cause.ts'
import type { UnitSchedule } from '../model/register.ts'
import type { BusFailure } from '../ports/unit-bus.ts'
import { LOOK_AGAIN_MS, PAUSE_AFTER_FAILURE_MS } from './background-reader.ts'
import { REFRESH_AFTER_MS } from './read-plan.ts'
import { WRITERS_PER_UNIT_MAX } from './unit-mutex.ts'

const MINUTE = 60_000
/** The first read comes with the reader's first look. */
const FIRST_READ = LOOK_AGAIN_MS
const cause: Cause = { source: 'integration', name: 'API: Test' }
const change = (values: Record<string, number>) => ({ values, what: 'a setting set', data: { intent: 'x' } })

const lamp = unitOf('lamp', 1)
const spot = unitOf('spot', 2)
const wall = unitOf('wall', 3, {
  model: 'HMHHX2',
  class: 'gang_module',
  gangs: [
    { gang: 0, name: 'left', class: 'switch_gang', room: null },
    { gang: 1, name: 'right', class: 'switch_gang', room: null },
  ],
})
const SCHEDULE: UnitSchedule = {
  slot: 1,
  enabled: true,
  gang: 1,
  days: [1, 2],
  time: '07:00',
  op: 'set_power',
  args: { on: true },
}

type Home = ReturnType<typeof settingsHome>
const started: Home[] = []
function start(...parameters: Parameters<typeof settingsHome>): Home {
  const home = settingsHome(...parameters)
  home.settings.start()
  started.push(home)
  return home
}
afterEach(() => {
  for (const home of started.splice(0)) home.settings.stop()
})

const plain = (home: Home, key: string): Record<string, number> =>
  Object.fromEntries([...home.settings.get(key)].map(([name, { value }]) => [name, value]))
const reads = (home: Home): string[] =>
  home.bus.calls
    .filter(({ what }) => what !== 'write')
    .map(({ what, target }) => `${what} ${target.address} ${target.gang}`)

/** Makes every answer of the bus take a second, as where air time is short. */
function answerSlowly(home: Home): void {
  home.bus.beforeAnswer = () => new Promise((resolve) => home.clock.after(1_000, resolve))
}

/** A door that a test opens. */
function gate(): { readonly opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: () => resolve() }
}

describe('filling in the background', () => {
  test('everything is read once: units, gangs and own schedules, with background priority', async () => {
    const home = start([
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
    // What is read for the first time is no change that anybody made.
    expect(home.heard).toEqual([])
    expect(home.drafts).toEqual([])
  })

  test('reading the cache asks no unit', async () => {
    const home = start([lamp, wall])
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
    const home = start([lamp, spot])
    const door = gate()
    home.bus.beforeAnswer = () => door.opened
    await home.clock.advanceAsync(MINUTE)
    expect(home.bus.calls.length).toBe(1)
    door.open()
    await home.clock.advanceAsync(0)
    expect(home.bus.calls.length).toBe(4)
  })

  test('a unit that joined or came back is read before everything else', async () => {
    const home = start(Array.from({ length: 200 }, (_, index) => unitOf(`unit-${index}`, index + 1)))
    answerSlowly(home)
    await home.clock.advanceAsync(MINUTE)
    const before = reads(home).length
    home.bus.report({ kind: 'unit', change: 'back', unit: home.bus.units.get(150)! })
    await home.clock.advanceAsync(10_000)
    expect(reads(home).slice(before, before + 2)).toEqual(['read 150 null', 'schedules 150 null'])
    expect(reads(home)[before + 2]).not.toContain(' 150 ')
  })

  test('what is old is read again, the oldest first, and nothing before its time', async () => {
    const home = start([lamp, spot])
    await home.clock.advanceAsync(MINUTE)
    expect(home.bus.calls.length).toBe(4)
    await home.clock.advanceAsync(REFRESH_AFTER_MS - 2 * MINUTE)
    expect(home.bus.calls.length).toBe(4)
    await home.clock.advanceAsync(2 * MINUTE)
    expect(reads(home).slice(4)).toEqual(reads(home).slice(0, 4))
  })

  test('after the link was down everything is read once more: changes may have gone unheard', async () => {
    const home = start([lamp])
    await home.clock.advanceAsync(MINUTE)
    home.bus.report({ kind: 'link', down: 'port' })
    await home.clock.advanceAsync(60 * MINUTE)
    expect(home.bus.calls.length).toBe(2)
    home.bus.report({ kind: 'link', down: null })
    await home.clock.advanceAsync(MINUTE)
    expect(home.bus.calls.length).toBe(4)
  })

  test('a lost unit is not asked; one that does not answer is left alone for a while; others go on', async () => {
    const home = start([lamp, spot, unitOf('third', 4)])
    home.bus.units.set(1, { ...home.bus.units.get(1)!, reachable: false })
    home.bus.failures.set(2, { kind: 'no_answer' })
    await home.clock.advanceAsync(PAUSE_AFTER_FAILURE_MS - MINUTE)
    expect(reads(home).sort()).toEqual(['read 2 null', 'read 4 null', 'schedules 2 null', 'schedules 4 null'])
    home.bus.failures.clear()
    await home.clock.advanceAsync(2 * MINUTE)
    expect(reads(home).slice(4).sort()).toEqual(['read 2 null', 'schedules 2 null'])
  })

  test('a busy adapter is asked again when it said', async () => {
    const home = start([lamp])
    home.bus.failures.set(1, { kind: 'busy', retryMs: 30_000 })
    await home.clock.advanceAsync(29_000)
    expect(home.bus.calls.length).toBe(2)
    home.bus.failures.clear()
    await home.clock.advanceAsync(5_000)
    expect(home.bus.calls.length).toBe(4)
  })

  test('a bus that takes nothing at the moment is not asked for one unit after the other', async () => {
    const home = start([lamp, spot, wall])
    for (const address of [1, 2, 3]) home.bus.failures.set(address, { kind: 'unavailable' })
    await home.clock.advanceAsync(10 * LOOK_AGAIN_MS)
    expect(home.bus.calls.length).toBe(10)
  })

  test('a device without any settings is read once, not for ever', async () => {
    const home = start([lamp])
    await home.clock.advanceAsync(60 * MINUTE)
    expect(home.bus.calls.length).toBe(2)
  })

  test('a bus that throws is logged and does not end the reading', async () => {
    const home = start([lamp, spot])
    home.bus.beforeAnswer = async ({ target }) => {
      if (target.address === 1) throw new Error('a defect')
    }
    await home.clock.advanceAsync(2 * MINUTE)
    expect(home.log.sentences('error').length).toBeGreaterThan(0)
    expect(reads(home)).toContain('schedules 2 null')
  })

  test('nothing is read after stop', async () => {
    const home = start(Array.from({ length: 100 }, (_, index) => unitOf(`unit-${index}`, index + 1)))
    answerSlowly(home)
    await home.clock.advanceAsync(FIRST_READ)
    home.settings.stop()
    const before = home.bus.calls.length
    await home.clock.advanceAsync(60 * MINUTE)
    expect(home.bus.calls.length).toBe(before)
    expect(home.clock.waiting).toBe(0)
  })
})

describe('across a restart', () => {
  test('with the adapter gone the old values are there, with their times', async () => {
    const kept = { settings: new MemorySettings(), schedules: new MemorySchedules() }
    const first = start([lamp, wall], kept)
    first.bus.at({ address: 1, gang: null })['led_mode'] = 1
    first.bus.schedules.set(3, [SCHEDULE])
    await first.clock.advanceAsync(MINUTE)
    first.settings.stop()
    const second = settingsHome([lamp, wall], kept)
    second.bus.down = 'port'
    second.settings.start()
    started.push(second)
    await second.clock.advanceAsync(60 * MINUTE)
    expect(second.settings.get('lamp')).toEqual(first.settings.get('lamp'))
    expect(second.settings.schedulesOf('wall')).toEqual(first.settings.schedulesOf('wall'))
    expect(second.bus.calls).toEqual([])
  })

  test('what the house has no more is forgotten, in memory and in the store', async () => {
    const home = start([lamp, wall])
    home.bus.at({ address: 3, gang: 1 })['dark_lux'] = 20
    await home.clock.advanceAsync(MINUTE)
    home.house.replace({ ...home.house.content(), units: [lamp] }, cause)
    expect(home.settings.get('wall:1').size).toBe(0)
    expect([...home.store.settings.rows.values()].filter(({ device }) => device !== 'lamp')).toEqual([])
    expect([...home.store.schedules.rows.keys()]).toEqual(['lamp'])
  })

  test('a store that fails costs the next start, not this one', async () => {
    const home = start([lamp])
    home.store.settings.broken = true
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 1 })
    expect(home.log.sentences('error')).toHaveLength(1)
  })
})

describe('reports from units', () => {
  test('a change at the unit is cached, logged with the unit as its cause, and told', async () => {
    const home = start([lamp])
    Object.assign(home.bus.at({ address: 1, gang: null }), { led_mode: 1, dark_lux: 254 })
    await home.clock.advanceAsync(MINUTE)
    home.bus.report({ kind: 'registers', target: { address: 1, gang: null }, values: { led_mode: 0, dark_lux: 254 } })
    expect(home.settings.get('lamp').get('led_mode')).toEqual({ value: 0, asOf: home.clock.now() })
    expect(home.heard).toMatchObject([
      { kind: 'settings', device: 'lamp', values: { led_mode: 0 }, cause: { source: 'unit', ref: 'lamp' } },
    ])
    expect(home.drafts).toMatchObject([
      { kind: 'setting', subject: { kind: 'device', id: 'lamp' }, what: 'led_mode changed', cause: { source: 'unit' } },
    ])
  })

  test('a change that no report told is found by the next read', async () => {
    const home = start([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    home.bus.at({ address: 1, gang: null })['led_mode'] = 2
    await home.clock.advanceAsync(REFRESH_AFTER_MS)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 2 })
    expect(home.heard).toMatchObject([{ kind: 'settings', values: { led_mode: 2 }, cause: { source: 'unit' } }])
  })

  test('the same values again tell nothing but are newer', async () => {
    const home = start([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    home.bus.report({ kind: 'registers', target: { address: 1, gang: null }, values: { led_mode: 1 } })
    expect(home.settings.get('lamp').get('led_mode')?.asOf).toBe(home.clock.now())
    expect(home.heard).toEqual([])
  })

  test('a register that a unit no longer has is no longer shown', async () => {
    const home = start([lamp])
    const held = home.bus.at({ address: 1, gang: null })
    Object.assign(held, { led_mode: 1, dark_lux: 20 })
    await home.clock.advanceAsync(MINUTE)
    delete held['dark_lux']
    await home.clock.advanceAsync(REFRESH_AFTER_MS)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 1 })
    expect([...home.store.settings.rows.keys()]).toEqual(['lamp led_mode'])
  })

  test('a report of a unit or gang that the house does not have is left alone', async () => {
    const home = start([lamp])
    home.bus.report({ kind: 'registers', target: { address: 77, gang: null }, values: { led_mode: 1 } })
    home.bus.report({ kind: 'registers', target: { address: 1, gang: 3 }, values: { led_mode: 1 } })
    expect(home.store.settings.rows.size).toBe(0)
  })
})

describe('writing', () => {
  test('goes to the unit, and is answered, cached, logged and told as the unit confirmed it', async () => {
    const home = start([wall])
    home.bus.at({ address: 3, gang: 1 })['dark_lux'] = 254
    await home.clock.advanceAsync(MINUTE)
    const answer = await home.settings.write('wall:1', change({ dark_lux: 20 }), cause)
    expect(answer.ok && answer.value.get('dark_lux')).toEqual({ value: 20, asOf: home.clock.now() })
    expect(home.bus.calls.at(-1)).toMatchObject({
      what: 'write',
      target: { address: 3, gang: 1 },
      values: { dark_lux: 20 },
      priority: 'person',
    })
    expect(home.heard).toMatchObject([{ kind: 'settings', device: 'wall:1', values: { dark_lux: 20 }, cause }])
    expect(home.drafts).toEqual([
      {
        at: home.clock.now(),
        kind: 'setting',
        subject: { kind: 'device', id: 'wall:1' },
        what: 'a setting set',
        cause,
        data: { intent: 'x' },
      },
    ])
    expect(home.store.settings.rows.get('wall:1 dark_lux')?.value).toBe(20)
  })

  test("the unit's word counts, not the wish", async () => {
    const home = start([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 0
    home.bus.beforeAnswer = async ({ what, values }) => {
      if (what === 'write') Object.assign(values!, { led_mode: 2 })
    }
    const answer = await home.settings.write('lamp', change({ led_mode: 1 }), cause)
    expect(answer.ok && answer.value.get('led_mode')?.value).toBe(2)
  })

  test.each<[BusFailure, 'failed' | 'refused', boolean]>([
    [{ kind: 'no_answer' }, 'failed', true],
    [{ kind: 'unavailable' }, 'failed', true],
    [{ kind: 'unknown_unit' }, 'failed', true],
    [{ kind: 'busy', retryMs: 700 }, 'failed', true],
    [{ kind: 'refused', detail: 'out of range' }, 'refused', false],
  ])(
    '%j: the cache keeps what was confirmed, the failure is logged, and doubt is cleared up by a read',
    async (failure, kind, readsAgain) => {
      const home = start([lamp])
      home.bus.at({ address: 1, gang: null })['led_mode'] = 1
      await home.clock.advanceAsync(MINUTE)
      const confirmed = home.settings.get('lamp').get('led_mode')
      home.bus.failures.set(1, failure)
      expect(await home.settings.write('lamp', change({ led_mode: 0 }), cause)).toEqual({ ok: false, error: failure })
      home.bus.failures.clear()
      expect(home.settings.get('lamp').get('led_mode')).toEqual(confirmed)
      expect(home.heard).toEqual([])
      expect(home.drafts).toMatchObject([
        {
          kind,
          what: expect.stringMatching(/^a setting set failed: /),
          cause,
          data: { intent: 'x', failure: failure.kind },
        },
      ])
      const before = home.bus.calls.length
      await home.clock.advanceAsync(PAUSE_AFTER_FAILURE_MS + MINUTE)
      expect(home.bus.calls.length > before).toBe(readsAgain)
    },
  )

  test('a link lost half-way: the unit took it, nobody heard; the cache learns it when the link is back', async () => {
    const home = start([lamp])
    const held = home.bus.at({ address: 1, gang: null })
    held['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    home.bus.beforeAnswer = async ({ what, values }) => {
      if (what !== 'write') return
      Object.assign(held, values)
      home.bus.report({ kind: 'link', down: 'port' })
    }
    expect(await home.settings.write('lamp', change({ led_mode: 0 }), cause)).toEqual({
      ok: false,
      error: { kind: 'unavailable' },
    })
    expect(plain(home, 'lamp')).toEqual({ led_mode: 1 })
    home.bus.report({ kind: 'link', down: null })
    await home.clock.advanceAsync(MINUTE)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0 })
  })

  test('a register that the unit does not have is a refusal', async () => {
    const home = start([lamp])
    const answer = await home.settings.write('lamp', change({ eco_lux: 5 }), cause)
    expect(answer).toEqual({ ok: false, error: { kind: 'refused', detail: 'the unit does not have this setting' } })
    expect(home.settings.get('lamp').size).toBe(0)
  })

  test('a device that the house does not have', async () => {
    const home = start([lamp])
    expect(await home.settings.write('gone', change({ led_mode: 1 }), cause)).toEqual({
      ok: false,
      error: { kind: 'not_there' },
    })
    expect(home.bus.calls.filter(({ what }) => what === 'write')).toEqual([])
  })

  test('two writers to one unit take turns and the later one has the last word, in the unit and in the cache', async () => {
    const home = start([wall, lamp])
    home.bus.at({ address: 3, gang: 0 })['dark_lux'] = 254
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    const door = gate()
    let inside = 0
    let most = 0
    home.bus.beforeAnswer = async ({ target }) => {
      if (target.address !== 3) return
      inside += 1
      most = Math.max(most, inside)
      await door.opened
      inside -= 1
    }
    const writes = [20, 60, 150].map((lux) => home.settings.write('wall:0', change({ dark_lux: lux }), cause))
    // Another unit does not wait for this one.
    expect(await home.settings.write('lamp', change({ led_mode: 2 }), cause)).toMatchObject({ ok: true })
    door.open()
    const answers = await Promise.all(writes)
    expect(answers.map((answer) => answer.ok)).toEqual([true, true, true])
    expect(most).toBe(1)
    expect(home.bus.at({ address: 3, gang: 0 })['dark_lux']).toBe(150)
    expect(plain(home, 'wall:0')).toEqual({ dark_lux: 150 })
    expect(
      home.heard.flatMap((event) =>
        event.kind === 'settings' && event.device === 'wall:0' ? [event.values['dark_lux']] : [],
      ),
    ).toEqual([20, 60, 150])
  })

  test('a writer that fails does not hold up the next', async () => {
    const home = start([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    let first = true
    home.bus.beforeAnswer = async ({ what }) => {
      if (what !== 'write' || !first) return
      first = false
      throw new Error('a defect')
    }
    const writes = [0, 2].map((mode) => home.settings.write('lamp', change({ led_mode: mode }), cause))
    const [broken, fine] = await Promise.allSettled(writes)
    expect(broken?.status).toBe('rejected')
    expect(fine).toMatchObject({ status: 'fulfilled', value: { ok: true } })
  })

  test('too many writers for one unit are turned away at once', async () => {
    const home = start([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    const door = gate()
    home.bus.beforeAnswer = () => door.opened
    const waiting = Array.from({ length: WRITERS_PER_UNIT_MAX }, () =>
      home.settings.write('lamp', change({ led_mode: 0 }), cause),
    )
    expect(await home.settings.write('lamp', change({ led_mode: 2 }), cause)).toMatchObject({
      ok: false,
      error: { kind: 'busy' },
    })
    door.open()
    expect((await Promise.all(waiting)).every((answer) => answer.ok)).toBe(true)
    expect(await home.settings.write('lamp', change({ led_mode: 2 }), cause)).toMatchObject({ ok: true })
  })

  test('a background read that a write overtook does not bring the old value back', async () => {
    const home = start([lamp])
    const held = home.bus.at({ address: 1, gang: null })
    held['led_mode'] = 1
    const door = gate()
    home.bus.beforeAnswer = ({ what }) => (what === 'read' ? door.opened : Promise.resolve())
    await home.clock.advanceAsync(FIRST_READ)
    expect(reads(home)).toEqual(['read 1 null'])
    expect(await home.settings.write('lamp', change({ led_mode: 0 }), cause)).toMatchObject({ ok: true })
    door.open()
    await home.clock.advanceAsync(0)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0 })
    await home.clock.advanceAsync(MINUTE)
    expect(reads(home).filter((read) => read === 'read 1 null')).toHaveLength(2)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0 })
  })

  test('a write to a unit that was never read does not pass for a read', async () => {
    const home = start([lamp])
    Object.assign(home.bus.at({ address: 1, gang: null }), { led_mode: 1, dark_lux: 20 })
    home.bus.units.set(1, { ...home.bus.units.get(1)!, reachable: false })
    await home.settings.write('lamp', change({ led_mode: 0 }), cause)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0 })
    home.bus.units.set(1, { ...home.bus.units.get(1)!, reachable: true })
    await home.clock.advanceAsync(MINUTE)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0, dark_lux: 20 })
  })
})
