import { describe, expect } from 'vitest'
import {
  getActivity,
  type EntryAnswer,
  type ActivityAnswer,
  activityPage,
  recordEntries,
  switchDevice,
} from '#support/gateway/activity-calls.ts'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { passTime, MINUTE, SECOND } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { awaitState } from '#support/gateway/await-home.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })
const DAY = 24 * 60 * MINUTE

/** The terrace door opens, and its contact detects that. */
async function openDoor(home: TestHome): Promise<void> {
  home.running.sim.house.door(35, false)
  await passTime(home, clock, SECOND)
  home.running.sim.house.door(35, true)
}

describe('a filter of entries', () => {
  verifies(
    ['activity.filters', '4.activity'],
    'leaves out entries of other kinds, sources and rules',
    { tags: ['long'] },
    async (home) => {
      const device =
        home.transport === 'http' ? 'lenas-light' : home.transport === 'stream' ? 'guest-light' : 'study-light'
      const automation = await new RuleCalls(home, 'automation').create({
        name: `Filtered ${home.transport}`,
        when: [{ device: home.id('terrace-door'), detection: 'door' }],
        then: [power(home, device, true)],
      })
      await switchDevice(clock, home, device, false)
      await openDoor(home)
      await clock.hasten(awaitState(home, device, ({ on }) => on === true))
      await switchDevice(clock, home, device, false)

      const source = home.transport === 'mcp' ? 'agent' : 'integration'
      const { entries: all } = await activityPage(home, { limit: 200 })
      const kinds = await activityPage(home, { kind: 'run', limit: 200 })
      expect(kinds.entries).toEqual(all.filter(({ kind }) => kind === 'run').slice(0, kinds.entries.length))
      expect(kinds.entries.length).toBeGreaterThan(0)
      const sources = (await activityPage(home, { source, device: home.id(device), limit: 200 })).entries
      expect(sources.length).toBeGreaterThan(0)
      expect(new Set(sources.map(({ cause }) => cause.source))).toEqual(new Set([source]))
      const { entries } = await activityPage(home, { rule: automation.id, limit: 200 })
      expect(entries.map(({ device: about, kind }) => [about, kind])).toEqual([
        [home.id(device), 'state'],
        [automation.id, 'run'],
        [automation.id, 'edited'],
      ])
      expect((await activityPage(home, { rule: automation.id, kind: 'state', source: 'schedule' })).entries).toEqual([])
      await new RuleCalls(home, 'automation').edit(automation.id, { enabled: false, ifRevision: 1 })
    },
  )

  verifies(
    ['activity.filters', 'activity.paging'],
    'returns every matching entry once, page by page',
    { tags: ['long'] },
    async (home) => {
      const device = { http: 'studio-light', stream: 'bedroom-light', mcp: 'living-lamp' }[home.transport]
      const start = clock.now() - 6 * DAY
      recordEntries(
        home,
        device,
        Array.from({ length: 2_600 }, (_, index) => start + Math.floor(index / 3)),
        (index) => `filtered ${index}`,
      )
      const got: EntryAnswer[] = []
      const query = { device: home.id(device), source: 'person', kind: 'state', from: start, limit: 150 }
      let to: number | null = start + DAY
      while (to !== null) {
        const { entries, nextTo }: ActivityAnswer = await activityPage(home, { ...query, to })
        got.push(...entries)
        to = nextTo
      }
      expect(new Set(got.map(({ id }) => id)).size).toBe(2_600)
      expect(got).toHaveLength(2_600)
      // Non-matching entries are scanned in bounded steps, so empty pages have a next page.
      let pages = 0
      for (to = start + DAY; to !== null; pages += 1) {
        const { entries, nextTo }: ActivityAnswer = await activityPage(home, { ...query, source: 'voice', to })
        expect(entries).toEqual([])
        to = nextTo
      }
      expect(pages).toBe(5)
    },
  )

  verifies(['activity.filters', '1.4.hidden'], 'treats hidden rules and sources as unknown', async (home) => {
    const narrow = await home.integrate({ expose: ['unit:study-light'], settings: { automations: 'on' } })
    const rules = new RuleCalls(home, 'automation')
    const hidden = await rules.create({
      name: 'Behind the curtain',
      when: [{ device: home.id('terrace-door'), detection: 'door' }],
      then: [power(home, 'study-light', true)],
    })
    home.running.sim.house.door(35, false)
    await passTime(home, clock, SECOND)
    home.running.sim.house.door(35, true)
    await clock.hasten(awaitState(home, 'study-light', ({ on }) => on === true))
    const local = hidden.id.split(':').slice(2).join(':')
    const refused = await getActivity(home, { rule: home.id(local, narrow) }, narrow)
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    expect(refused.text).toBe((await getActivity(home, { rule: home.id('automation:invented', narrow) }, narrow)).text)
    expect((await activityPage(home, { source: 'automation', limit: 200 }, narrow)).entries).toEqual([])
    const { entries } = await activityPage(home, { source: 'gateway', kind: 'state', limit: 1 }, narrow)
    expect(entries[0]).toMatchObject({ what: 'turned on', cause: { name: 'something outside this integration' } })
    await home.change(narrow, { settings: { automations: 'off' } })
    expect((await getActivity(home, { rule: home.id(local, narrow) }, narrow)).text).toBe(refused.text)
    await switchDevice(clock, home, 'study-light', false)
    await rules.edit(hidden.id, { enabled: false, ifRevision: 1 })
  })
})

describe('the id of an entry', () => {
  verifies(
    ['activity.ids', '1.4.hidden'],
    'is accepted as `device` for every kind of subject, even a deleted one',
    async (home) => {
      const { admin } = home.running
      const automations = new RuleCalls(home, 'automation')
      const draft = {
        when: [{ device: home.id('terrace-door'), detection: 'door' }],
        then: [power(home, 'study-light', true)],
        enabled: false,
      }
      const [present, deleted] = [
        await automations.create({ name: 'Kept', ...draft }),
        await automations.create({ name: 'Gone', ...draft }),
      ]
      const schedule = await new RuleCalls(home, 'schedule').create({
        name: 'At nine',
        at: { time: '09:00' },
        then: draft.then,
      })
      const local = (id: string): string => id.split(':').slice(2).join(':')
      await admin.call('DELETE', `/automations/${deleted.id.split(':').at(-1)}`)
      const room = { name: 'Studio', method: 'PATCH', path: `/v1/rooms/${encodeURIComponent(home.id('room:studio'))}` }
      expect(await home.call({ ...room, body: { name: `Studio ${home.transport}` } })).toMatchObject({ status: 200 })
      await switchDevice(clock, home, 'guest-light', true)

      const { entries } = await activityPage(home, { limit: 200 })
      const ids = new Set(entries.flatMap(({ device }) => (device === null ? [] : [device])))
      expect([...ids]).toEqual(expect.arrayContaining([present.id, deleted.id, schedule.id, home.id('room:studio')]))
      for (const id of ids) {
        const own = entries.filter(({ device }) => device === id).map((entry) => entry.id)
        const answered = (await activityPage(home, { device: id, limit: 200 })).entries.map((entry) => entry.id)
        expect(answered, id).toEqual(expect.arrayContaining(own))
      }
      for (const id of [present.id, deleted.id])
        expect((await activityPage(home, { rule: id })).entries.length, id).toBeGreaterThan(0)

      const narrow = await home.integrate({
        expose: ['unit:study-light'],
        settings: { automations: 'on', schedules: 'off' },
      })
      const hidden = await getActivity(home, { device: home.id('automation:invented', narrow) }, narrow)
      expect(hidden).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
      for (const id of [present.id, deleted.id, schedule.id, home.id('room:studio'), home.id('floor:top-floor')])
        expect((await getActivity(home, { device: home.id(local(id), narrow) }, narrow)).text, id).toBe(hidden.text)
      expect((await getActivity(home, { device: home.id('automation:invented') })).status).toBe(404)
      const shut = await home.integrate({ settings: { automations: 'off' } })
      expect((await getActivity(home, { device: home.id(local(present.id), shut) }, shut)).status).toBe(404)
      expect((await getActivity(home, { device: home.id(local(deleted.id), shut) }, shut)).status).toBe(404)
    },
  )
})

describe('a cause with names that the history has forgotten', () => {
  verifies(['2.6.cause', '1.4.hidden'], 'has no id, and is hidden from a Selected integration', async (home) => {
    const narrow = await home.integrate({ expose: ['unit:study-light'] })
    const origin = {
      source: 'integration',
      name: 'API: Test',
      integration: home.main.id,
      link: home.main.link,
    } as const
    home.running.gateway.stores.history.activity.record({
      at: clock.now(),
      kind: 'state',
      subject: { kind: 'device', id: 'study-light' },
      what: 'was run into',
      cause: { source: 'scene', name: 'unknown', ref: '', by: origin },
    })
    const seen = async (who = home.main): Promise<unknown> =>
      (await activityPage(home, { device: home.id('study-light', who), limit: 1 }, who)).entries[0]?.cause
    const by = { source: 'integration', name: 'API: Test', link: home.main.link }
    expect(await seen()).toEqual({ source: 'scene', name: 'unknown', by })
    expect(await seen(narrow)).toEqual({ source: 'gateway', name: 'something outside this integration' })
  })
})

describe('a wrong query', () => {
  verifies('refusals.query', 'is refused with the wrong parameter', async (home) => {
    const message = async (query: Record<string, string | number>): Promise<unknown> =>
      ((await getActivity(home, query)).body as { error: { message: string } }).error.message
    expect(await message({ from: -1 })).toBe('from: must be a whole number from 0.')
    expect(await message({ to: '1e3' })).toBe('to: must be a whole number from 0.')
    expect(await message({ limit: 'all' })).toBe('limit: must be a whole number from 1 to 200.')
    expect(await message({ limit: 201 })).toBe('limit: must be at most 200.')
    for (const query of ['limit=5&limit=5', 'device=a&device=b', 'from=1&to=2&from=1']) {
      const answer = await home.call({ method: 'GET', path: `/v1/activity?${query}` })
      expect([query, answer.status, answer.text]).toEqual([
        query,
        422,
        expect.stringMatching(/(?:limit|device|from).{2,5}occurs (?:more than once|twice)\./),
      ])
    }
  })
})
