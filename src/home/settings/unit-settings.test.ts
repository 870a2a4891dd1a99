import { describe, expect, test } from 'vitest'
import { lamp, MINUTE, plain, reads, startedSettings, wall } from '#support/homes/settings-home.ts'
import type { Cause } from '../model/events.ts'
import type { BusFailure } from '../ports/unit-bus.ts'
import { LOOK_AGAIN_MS, PAUSE_AFTER_FAILURE_MS } from './background-reader.ts'
import { WRITERS_PER_UNIT_MAX } from './unit-settings.ts'

/** The first read comes with the reader's first check. */
const FIRST_READ = LOOK_AGAIN_MS

const cause: Cause = { source: 'integration', name: 'API: Test' }
const change = (values: Record<string, number>) => ({ values, what: 'a setting set', data: { intent: 'x' } })

describe('writing', () => {
  test('reaches the unit, and is answered, cached, logged and emitted as the unit confirmed it', async () => {
    const home = startedSettings([wall])
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
    expect(home.homeEvents).toMatchObject([{ kind: 'settings', device: 'wall:1', values: { dark_lux: 20 }, cause }])
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
    expect([...home.history.settings.load()]).toContainEqual(expect.objectContaining({ device: 'wall:1', value: 20 }))
  })

  test("the unit's confirmation counts, not the request", async () => {
    const home = startedSettings([lamp])
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
    '%j: the cache keeps the confirmed value, the failure is logged, and a read resolves the doubt',
    async (failure, kind, readsAgain) => {
      const home = startedSettings([lamp])
      home.bus.at({ address: 1, gang: null })['led_mode'] = 1
      await home.clock.advanceAsync(MINUTE)
      const confirmed = home.settings.get('lamp').get('led_mode')
      home.bus.failures.set(1, failure)
      expect(await home.settings.write('lamp', change({ led_mode: 0 }), cause)).toEqual({ ok: false, error: failure })
      home.bus.failures.clear()
      expect(home.settings.get('lamp').get('led_mode')).toEqual(confirmed)
      expect(home.homeEvents).toEqual([])
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

  test('a link lost during the write: the unit took the value, and the cache learns it when the link is back', async () => {
    const home = startedSettings([lamp])
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
    const home = startedSettings([lamp])
    const answer = await home.settings.write('lamp', change({ eco_lux: 5 }), cause)
    expect(answer).toEqual({ ok: false, error: { kind: 'refused', detail: 'the unit does not have this setting' } })
    expect(home.settings.get('lamp').size).toBe(0)
  })

  test('a missing device is refused', async () => {
    const home = startedSettings([lamp])
    expect(await home.settings.write('gone', change({ led_mode: 1 }), cause)).toEqual({
      ok: false,
      error: { kind: 'not_there' },
    })
    expect(home.bus.calls.filter(({ what }) => what === 'write')).toEqual([])
  })

  test('two writers to one unit take turns, and the later value stays in the unit and in the cache', async () => {
    const home = startedSettings([wall, lamp])
    home.bus.at({ address: 3, gang: 0 })['dark_lux'] = 254
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    const door = Promise.withResolvers<void>()
    let inside = 0
    let most = 0
    home.bus.beforeAnswer = async ({ target }) => {
      if (target.address !== 3) return
      inside += 1
      most = Math.max(most, inside)
      await door.promise
      inside -= 1
    }
    const writes = [20, 60, 150].map((lux) => home.settings.write('wall:0', change({ dark_lux: lux }), cause))
    // Another unit does not wait for this one.
    expect(await home.settings.write('lamp', change({ led_mode: 2 }), cause)).toMatchObject({ ok: true })
    door.resolve()
    const answers = await Promise.all(writes)
    expect(answers.map((answer) => answer.ok)).toEqual([true, true, true])
    expect(most).toBe(1)
    expect(home.bus.at({ address: 3, gang: 0 })['dark_lux']).toBe(150)
    expect(plain(home, 'wall:0')).toEqual({ dark_lux: 150 })
    expect(
      home.homeEvents.flatMap((event) =>
        event.kind === 'settings' && event.device === 'wall:0' ? [event.values['dark_lux']] : [],
      ),
    ).toEqual([20, 60, 150])
  })

  test('a failed write does not block the next one', async () => {
    const home = startedSettings([lamp])
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

  test('too many writers for one unit are refused at once', async () => {
    const home = startedSettings([lamp])
    home.bus.at({ address: 1, gang: null })['led_mode'] = 1
    await home.clock.advanceAsync(MINUTE)
    const door = Promise.withResolvers<void>()
    home.bus.beforeAnswer = () => door.promise
    const waiting = Array.from({ length: WRITERS_PER_UNIT_MAX }, () =>
      home.settings.write('lamp', change({ led_mode: 0 }), cause),
    )
    expect(await home.settings.write('lamp', change({ led_mode: 2 }), cause)).toMatchObject({
      ok: false,
      error: { kind: 'busy' },
    })
    door.resolve()
    expect((await Promise.all(waiting)).every((answer) => answer.ok)).toBe(true)
    expect(await home.settings.write('lamp', change({ led_mode: 2 }), cause)).toMatchObject({ ok: true })
  })

  test('a background read that a write made outdated does not restore the old value', async () => {
    const home = startedSettings([lamp])
    const held = home.bus.at({ address: 1, gang: null })
    held['led_mode'] = 1
    const door = Promise.withResolvers<void>()
    home.bus.beforeAnswer = ({ what }) => (what === 'read' ? door.promise : Promise.resolve())
    await home.clock.advanceAsync(FIRST_READ)
    expect(reads(home)).toEqual(['read 1 null'])
    expect(await home.settings.write('lamp', change({ led_mode: 0 }), cause)).toMatchObject({ ok: true })
    door.resolve()
    await home.clock.advanceAsync(0)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0 })
    await home.clock.advanceAsync(MINUTE)
    expect(reads(home).filter((read) => read === 'read 1 null')).toHaveLength(2)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0 })
  })

  test('a write to a unit that was never read does not count as a read', async () => {
    const home = startedSettings([lamp])
    Object.assign(home.bus.at({ address: 1, gang: null }), { led_mode: 1, dark_lux: 20 })
    home.bus.units.set(1, { ...home.bus.units.get(1)!, reachable: false })
    await home.settings.write('lamp', change({ led_mode: 0 }), cause)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0 })
    home.bus.units.set(1, { ...home.bus.units.get(1)!, reachable: true })
    await home.clock.advanceAsync(MINUTE)
    expect(plain(home, 'lamp')).toEqual({ led_mode: 0, dark_lux: 20 })
  })
})
