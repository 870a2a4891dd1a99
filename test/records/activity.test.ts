import { describe, expect } from 'vitest'
import {
  getActivity,
  type EntryAnswer,
  type ActivityAnswer,
  activityPage,
  recordEntries,
  switchDevice,
} from '#support/gateway/activity-calls.ts'
import { verifiesIn } from '#support/gateway/harness.ts'
import { passTime, MINUTE, SECOND } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { awaitState } from '#support/gateway/await-home.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'stream' })
const DAY = 24 * 60 * MINUTE

describe('GET /v1/activity', () => {
  verifies(
    ['4.activity', '2.6.activity', '2.6.activity-entry'],
    'returns house, entries newest first, and nextTo',
    async (home) => {
      await switchDevice(clock, home, 'guest-light', true)
      await switchDevice(clock, home, 'guest-light', false)
      const answer = await activityPage(home, { device: home.id('guest-light'), limit: 2 })
      expect(Object.keys(answer).toSorted()).toEqual(['entries', 'house', 'nextTo'])
      expect(answer.house).toBe('Sonnenwinkel')
      expect(answer.entries).toMatchObject([
        {
          device: home.id('guest-light'),
          kind: 'state',
          what: 'turned off',
          cause: { source: 'integration', name: 'API: Test', link: home.main.link },
        },
        { device: home.id('guest-light'), kind: 'state', what: 'turned on' },
      ])
      for (const { id, at } of answer.entries) {
        expect(id).toMatch(/^[\w-]{8,}$/)
        expect(Math.abs(at - clock.now())).toBeLessThan(10 * SECOND)
      }
      const ats = answer.entries.map(({ at }) => at)
      expect(ats).toEqual(ats.toSorted((a, b) => b - a))
    },
  )

  verifies(
    '2.6.cause',
    'a cause distinguishes people, integrations, automations, schedules, scenes and the unit itself, through the chain',
    { tags: ['long'] },
    async (home) => {
      const step = power(home, 'studio-light', true)
      await switchDevice(clock, home, 'studio-light', true)
      await switchDevice(clock, home, 'studio-light', false)
      const scene = await new RuleCalls(home, 'scene').create({ name: 'Work', steps: [step] })
      const automation = await new RuleCalls(home, 'automation').create({
        name: 'At the desk',
        when: [{ device: home.id('terrace-door'), detection: 'door' }],
        then: [{ scene: scene.id }],
      })
      const latest = async (): Promise<EntryAnswer['cause']> =>
        (await activityPage(home, { device: home.id('studio-light'), limit: 1 })).entries[0]!.cause
      const lit = async (on: boolean): Promise<void> =>
        void (await clock.hasten(awaitState(home, 'studio-light', (state) => state['on'] === on)))
      expect(await latest()).toMatchObject({ source: 'integration', name: 'API: Test' })

      home.running.sim.house.door(35, false)
      await passTime(home, clock, SECOND)
      home.running.sim.house.door(35, true)
      await lit(true)
      expect(await latest()).toEqual({
        source: 'scene',
        name: 'Work',
        ref: scene.id,
        by: {
          source: 'automation',
          name: 'At the desk',
          ref: automation.id,
          by: { source: 'unit', name: 'door', ref: home.id('terrace-door') },
        },
      })
      home.running.sim.touch(81, null, 'down')
      await lit(false)
      expect(await latest()).toEqual({ source: 'unit', name: 'touched at the wall', ref: home.id('studio-light') })

      const time = new Intl.DateTimeFormat('en-GB', {
        timeZone: 'Europe/Berlin',
        hour: '2-digit',
        minute: '2-digit',
      }).format(clock.now() + 2 * MINUTE)
      const schedule = await new RuleCalls(home, 'schedule').create({ name: 'Soon', at: { time }, then: [step] })
      await passTime(home, clock, 3 * MINUTE)
      await lit(true)
      expect(await latest()).toEqual({ source: 'schedule', name: 'Soon', ref: schedule.id })
      await home.running.admin.call('DELETE', `/schedules/${schedule.id.split(':').at(-1)}`)
      const { entries } = await activityPage(home)
      expect(entries.find(({ device, what }) => device === schedule.id && what === 'deleted')?.cause).toMatchObject({
        source: 'person',
      })
      await new RuleCalls(home, 'automation').edit(automation.id, { enabled: false, ifRevision: 1 })
    },
  )

  verifies('2.6.cause', 'two keys of one integration are distinguished only for that integration', async (home) => {
    const { token, link } = (await home.running.admin.call('POST', '/keys', { integration: home.main.id })) as {
      token: string
      link: string
    }
    await switchDevice(clock, home, 'guest-light', true)
    await switchDevice(clock, home, 'guest-light', false, { ...home.main, token })
    const causes = (await activityPage(home, { device: home.id('guest-light'), limit: 2 })).entries.map(
      ({ cause }) => cause,
    )
    expect(causes).toEqual([
      { source: 'integration', name: 'API: Test', link },
      { source: 'integration', name: 'API: Test', link: home.main.link },
    ])
    const other = await home.integrate({ name: 'Other' })
    const seen = (await activityPage(home, { device: home.id('guest-light', other), limit: 2 }, other)).entries.map(
      ({ cause }) => cause,
    )
    expect(seen).toEqual([
      { source: 'integration', name: 'API: Test' },
      { source: 'integration', name: 'API: Test' },
    ])
  })

  verifies('8.activity-range', 'the range is the last 30 days by default', async (home) => {
    const now = clock.now()
    recordEntries(home, 'garden-weather', [now - 31 * DAY, now - 29 * DAY], (index) => `${home.transport} ${index}`)
    const whats = async (query: Record<string, string | number>): Promise<string[]> => {
      const { entries } = await activityPage(home, { device: home.id('garden-weather'), ...query })
      return entries.map(({ what }) => what).filter((what) => what.startsWith(home.transport))
    }
    expect(await whats({})).toEqual([`${home.transport} 1`])
    expect(await whats({ from: now - 40 * DAY })).toEqual([`${home.transport} 1`, `${home.transport} 0`])
    // `to` is exclusive and does not move the range: older entries need `from`.
    expect(await whats({ to: now - 29 * DAY })).toEqual([])
    expect(await activityPage(home, { to: now - 31 * DAY })).toMatchObject({ entries: [], nextTo: null })
    expect(await whats({ to: now - 29 * DAY, from: now - 40 * DAY })).toEqual([`${home.transport} 0`])
    expect(await whats({ to: now - 29 * DAY + 1, from: now - 29 * DAY })).toEqual([`${home.transport} 1`])
  })

  verifies('activity.limit', 'limit is 50 by default, at most 200', async (home) => {
    const start = clock.now() - 10 * DAY
    recordEntries(
      home,
      'house-meter',
      Array.from({ length: 210 }, (_, index) => start + index * 1_000),
      (index) => `limit ${index}`,
    )
    const count = async (query: Record<string, string | number>) =>
      (await activityPage(home, { device: home.id('house-meter'), ...query })).entries.length
    expect([await count({}), await count({ limit: 1 }), await count({ limit: 200 })]).toEqual([50, 1, 200])
    const wrong: readonly Record<string, string | number>[] = [
      { limit: 0 },
      { limit: 201 },
      { limit: -1 },
      { limit: '1e2' },
      { limit: 'all' },
      { from: 'x' },
      { to: -1 },
      { from: 5, to: 4 },
      { since: 5 },
    ]
    for (const query of wrong) {
      expect((await getActivity(home, query)).status, JSON.stringify(query)).toBe(422)
    }
    for (const device of [home.id('never-was'), 'nonsense', home.id('room:never-was')])
      expect((await getActivity(home, { device })).status).toBe(404)
  })
})

describe('a created thing', () => {
  verifies('activity.created', 'is named in its entry, also after it was renamed', async (home) => {
    const scene = await new RuleCalls(home, 'scene').create({
      name: 'Quiet',
      steps: [power(home, 'hall-light', false)],
    })
    const at = { time: '04:00' }
    const then = [power(home, 'hall-light', false)]
    const schedule = await new RuleCalls(home, 'schedule').create({ name: 'At four', at, then })
    await new RuleCalls(home, 'schedule').edit(schedule.id, { name: 'Early', enabled: false, ifRevision: 1 })
    const { entries } = await activityPage(home)
    const created = (id: string) => entries.filter(({ device, what }) => device === id && what.startsWith('created'))
    expect(created(scene.id)).toMatchObject([{ what: 'created as Quiet', kind: 'edited' }])
    expect(created(schedule.id)).toMatchObject([{ what: 'created as At four', kind: 'edited' }])
  })
})

describe('people in causes', () => {
  verifies('activity.people', 'have names where each person is visible, and are somebody elsewhere', async (home) => {
    const at = clock.now()
    const agent = { source: 'agent', name: 'Agent: Claude via Desk', confirmedBy: 'Anna' } as const
    const chain = { source: 'scene', name: 'Evening', ref: 'evening', by: { source: 'person', name: 'Anna' } } as const
    const line = { source: 'person', name: 'administrator (command line)' } as const
    const { activity } = home.running.gateway.stores.history
    for (const [index, cause] of [{ source: 'person', name: 'Anna' } as const, agent, chain, line].entries())
      activity.record({
        at: at + index,
        kind: 'state',
        subject: { kind: 'device', id: 'study-light' },
        what: 'on',
        cause,
      })
    await activity.committed()
    const causesFor = async (people: 'none' | 'anyone' | 'each'): Promise<readonly unknown[]> => {
      const who = await home.integrate({ people })
      const query = { device: home.id('study-light', who), from: String(at), limit: '4' }
      const answer = await home.call({ method: 'GET', path: '/v1/activity', query, token: who.token })
      return (answer.body as { entries: { cause: object }[] }).entries.map(({ cause }) => cause)
    }
    const named = await causesFor('each')
    expect(named).toMatchObject([line, { by: { name: 'Anna' } }, agent, { name: 'Anna' }])
    const hidden: unknown = JSON.parse(JSON.stringify(named).replaceAll('Anna', 'somebody'))
    for (const people of ['none', 'anyone'] as const)
      expect(JSON.parse(JSON.stringify(await causesFor(people)).replaceAll(/"ref":"[^"]*"/g, '"ref":""'))).toEqual(
        JSON.parse(JSON.stringify(hidden).replaceAll(/"ref":"[^"]*"/g, '"ref":""')),
      )
  })
})

describe('paging', () => {
  verifies(
    ['activity.paging', '4.activity'],
    'returns every entry once, in order, while entries arrive, and never splits a millisecond',
    async (home) => {
      const device = home.transport === 'http' ? 'washing-machine' : 'dishwasher'
      const start = clock.now() - 5 * DAY
      // More entries in one millisecond than a page holds.
      const ats = [
        ...Array.from({ length: 60 }, (_, index) => start + index * 7),
        ...Array.from({ length: 25 }, () => start + 100_000),
        ...Array.from({ length: 40 }, (_, index) => start + 200_000 + Math.floor(index / 4)),
      ]
      recordEntries(home, device, ats, (index) => `paged ${index}`)
      const got: EntryAnswer[] = []
      let to: number | null = clock.now() + 1
      let fresh = 0
      while (to !== null) {
        const { entries, nextTo }: ActivityAnswer = await activityPage(home, {
          device: home.id(device),
          from: start,
          to,
          limit: 7,
        })
        expect(new Set(got.map(({ at }) => at)).size + new Set(entries.map(({ at }) => at)).size).toBe(
          new Set([...got, ...entries].map(({ at }) => at)).size,
        )
        got.push(...entries)
        to = nextTo
        // Writers continue: new entries come before the current page.
        recordEntries(home, device, [clock.now() + 1, clock.now() + 1], () => `fresh ${fresh++}`)
      }
      const paged = got.filter(({ what }) => what.startsWith('paged'))
      expect(paged.map(({ what }) => Number(what.slice(6)))).toEqual(ats.map((_, index) => index).toReversed())
      expect(new Set(got.map(({ id }) => id)).size).toBe(got.length)
      expect(got.map(({ at }) => at)).toEqual(got.map(({ at }) => at).toSorted((a, b) => b - a))
      expect(fresh).toBeGreaterThan(10)
    },
  )
})

describe('following nextTo', () => {
  verifies(
    ['8.activity-range', 'activity.paging'],
    'without from ends at the start of the last 30 days, even with older entries',
    async (home) => {
      const start = clock.now()
      const days = Array.from({ length: 60 }, (_, index) => start - (60 - index) * DAY + 12 * 60 * MINUTE)
      recordEntries(home, 'driveway-gate', days, (index) => `${home.transport} day ${index}`)
      const got: string[] = []
      let next: number | null = null
      do {
        const { entries, nextTo }: ActivityAnswer = await activityPage(home, {
          device: home.id('driveway-gate'),
          limit: 7,
          ...(next === null ? {} : { to: next }),
        })
        got.push(...entries.map(({ what }) => what).filter((what) => what.startsWith(`${home.transport} day`)))
        next = nextTo
      } while (next !== null)
      expect(got).toEqual(Array.from({ length: 30 }, (_, index) => `${home.transport} day ${59 - index}`))
    },
  )
})

describe('a thing that an integration does not see', () => {
  verifies(['4.activity', '2.6.cause', '4.rule9.exposed'], 'is in no entry and no cause', async (home) => {
    const narrow = await home.integrate({
      expose: ['unit:study-light', 'gang:entrance-panel:2'],
      settings: { advanced_config: 'off', automations: 'on', schedules: 'on' },
    })
    const scene = await new RuleCalls(home, 'scene').create({
      name: 'Secret scene',
      steps: [power(home, 'study-light', true), power(home, 'hall-light', true)],
    })
    const automation = await new RuleCalls(home, 'automation').create({
      name: 'Secret rule',
      when: [{ scene: scene.id }],
      then: [power(home, 'hall-light', false)],
    })
    await switchDevice(clock, home, 'study-light', false)
    await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(scene.id)}/run` })
    await clock.hasten(awaitState(home, 'study-light', ({ on }) => on === true))
    await clock.hasten(
      home.call({
        method: 'PUT',
        path: home.at('study-light', '/intents/off_delay'),
        body: { value: home.transport === 'http' ? 31 : 32 },
      }),
    )
    home.running.sim.motion('hall')
    await switchDevice(clock, home, 'hall-light', true)
    await passTime(home, clock, SECOND)

    const { entries } = await activityPage(home, { limit: 200 }, narrow)
    const allowed = new Set(['study-light', 'entrance-panel:2'].map((local) => home.id(local, narrow)))
    expect(entries.filter(({ device }) => device === null || !allowed.has(device))).toEqual([])
    expect(JSON.stringify(entries)).not.toMatch(/Secret|hall|Entrance|31 s|32 s/i)
    expect(entries.find(({ what }) => what === 'turned on')?.cause).toEqual({
      source: 'gateway',
      name: 'something outside this integration',
    })
    expect(entries.find(({ kind }) => kind === 'setting')?.what).toBe('a setting was changed')
    expect((await getActivity(home, { device: home.id('hall-light', narrow) }, narrow)).text).toBe(
      (await getActivity(home, { device: home.id('never-was', narrow) }, narrow)).text,
    )
    // Administration is not part of an integration's activity.
    expect((await activityPage(home, { limit: 200 })).entries.filter(({ kind }) => kind === 'access')).toEqual([])
    await new RuleCalls(home, 'automation').edit(automation.id, { enabled: false, ifRevision: 1 })
  })
})
