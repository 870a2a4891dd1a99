import { expect } from 'vitest'
import { type TestHome, verifiesOver } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls } from '#support/gateway/rule-calls.ts'
import { DAY_MS } from '../../src/lib/durations.ts'

const verifies = verifiesOver('stream')

const minimal = (home: TestHome) => ({
  name: 'Porch',
  at: { time: '06:30' },
  then: [power(home, 'entrance-panel:0', true)],
})
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]

/** Local time of the home, as on a clock there. */
const berlin = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' }).format(at)
const weekday = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', weekday: 'long' }).format(at)

verifies(
  ['4.schedules', 'automations.schedule', 'requests.created', '2.5.origin', '2.5.revision'],
  'a schedule is created with 201, its place, its defaults, its origin and its next run',
  async (home) => {
    const schedules = new RuleCalls(home, 'schedule')
    const now = home.running.clock.now()
    const answer = await schedules.send('POST', undefined, minimal(home))
    const { schedule } = answer.body as { schedule: { id: string; next: number } }
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      house: 'Sonnenwinkel',
      schedule: {
        id: expect.stringMatching(new RegExp(`^${home.id('schedule:')}[a-z0-9]+$`)),
        ...minimal(home),
        enabled: true,
        days: EVERY_DAY,
        if: [],
        next: expect.any(Number),
        revision: 1,
        origin: { integration: home.main.id, link: home.main.link },
      },
    })
    expect([schedule.next > now, schedule.next - now <= DAY_MS + 3_600_000, berlin(schedule.next)]).toEqual([
      true,
      true,
      '06:30',
    ])
    if (home.transport === 'http')
      expect(decodeURIComponent(answer.headers?.['location'] ?? '')).toBe(`/v1/schedules/${schedule.id}`)
    expect(await schedules.get(schedule.id)).toEqual(schedule)
    expect(await schedules.list()).toContainEqual(schedule)
  },
)

verifies(
  ['4.schedules', '4.put', 'automations.schedule'],
  'PATCH and PUT do the same; the next run follows the edit',
  async (home) => {
    const schedules = new RuleCalls(home, 'schedule')
    for (const method of ['PATCH', 'PUT']) {
      const made = await schedules.create(minimal(home))
      const edited = await schedules.send(method, made.id, { at: { time: '21:15' }, days: [3], ifRevision: 1 })
      const { schedule } = edited.body as { schedule: { next: number } }
      expect(schedule).toMatchObject({
        name: 'Porch',
        at: { time: '21:15' },
        days: [3],
        revision: 2,
        then: made['then'],
      })
      expect([berlin(schedule.next), weekday(schedule.next)]).toEqual(['21:15', 'Wednesday'])
      expect(await schedules.send(method, made.id, { enabled: false, ifRevision: 2 })).toMatchObject({
        status: 200,
        body: { schedule: { enabled: false, next: null, revision: 3 } },
      })
      const read = await schedules.get(made.id)
      expect(await schedules.send(method, made.id, { ...read, name: 'Gate lamp', ifRevision: 3 })).toMatchObject({
        status: 200,
        body: { schedule: { name: 'Gate lamp', revision: 4 } },
      })
      for (const body of [
        { id: home.id('schedule:other') },
        { origin: null },
        { revision: 9 },
        { mode: 'single' },
        { when: [] },
      ]) {
        expect(
          statusAndCode(await schedules.send(method, made.id, { ...body, ifRevision: 4 })),
          JSON.stringify(body),
        ).toEqual([422, 'validation'])
      }
    }
  },
)

verifies('automations.schedule', 'at is a time or the sun with an offset; days are ISO weekdays', async (home) => {
  const schedules = new RuleCalls(home, 'schedule')
  const make = (fields: object) => schedules.send('POST', undefined, { ...minimal(home), ...fields })
  for (const fields of [
    { at: { time: '00:00' } },
    { at: { time: '23:59' } },
    { at: { sun: 'sunrise' } },
    { at: { sun: 'sunset', offset: -30 } },
    { days: [6, 7] },
    { then: [{ scene: home.id('scene:dinner') }] },
  ]) {
    const answer = await make(fields)
    expect(answer, JSON.stringify(fields)).toMatchObject({ status: 201, body: { schedule: fields } })
    expect((answer.body as { schedule: { next: number } }).schedule.next).toBeGreaterThan(
      home.running.clock.now() - 60_000,
    )
  }
  for (const fields of [
    { at: { time: '24:00' } },
    { at: { time: '6:30' } },
    { at: { sun: 'noon' } },
    { at: { sun: 'sunset', offset: 1.5 } },
    { at: { time: '06:30', sun: 'sunset' } },
    { at: {} },
    { at: '06:30' },
    { days: [] },
    { days: [0] },
    { days: [8] },
    { days: ['Mon'] },
    { then: [] },
    { then: [{ device: home.id('hall-light'), op: 'open' }] },
    { name: null },
    { next: 5 },
  ])
    expect(statusAndCode(await make(fields)), JSON.stringify(fields)).toEqual([422, 'validation'])
})

verifies(
  ['4.rule6.schedule', '7.revision', 'automations.if-revision', 'automations.new-revision'],
  'an outdated revision is 409 and names the current one; a missing one is 422, and any revision for a new one',
  async (home) => {
    const schedules = new RuleCalls(home, 'schedule')
    const { id } = await schedules.create(minimal(home))
    for (const ifRevision of [0, 1, '1', {}])
      for (const [kind, body] of Object.entries({ schedule: minimal(home), scene: { name: 'New' } }))
        expect(
          await new RuleCalls(home, kind as 'schedule' | 'scene').send('POST', undefined, { ...body, ifRevision }),
        ).toMatchObject({
          status: 422,
          body: { error: { message: 'ifRevision: is only for edits: a new object has no revision yet.' } },
        })
    await schedules.edit(id, { name: 'Second', ifRevision: 1 })
    for (const ifRevision of [1, 3]) {
      const answer = await schedules.send('PATCH', id, { name: 'Third', ifRevision })
      expect(statusAndCode(answer)).toEqual([409, 'revision_mismatch'])
      expect(answer.text).toContain('revision is now 2')
    }
    expect(statusAndCode(await schedules.send('PATCH', id, { name: 'Third' }))).toEqual([422, 'validation'])
    expect(await schedules.get(id)).toMatchObject({ name: 'Second', revision: 2 })
  },
)

verifies(
  ['2.1.schedules', 'refusals.rule-gate'],
  'with schedules off, every call about every id gets the same 403, known or not',
  async (home) => {
    const { id } = await new RuleCalls(home, 'schedule').create(minimal(home))
    const blind = new RuleCalls(
      home,
      'schedule',
      await home.integrate({ settings: { automations: 'on', schedules: 'off' } }),
    )
    const ids = [blind.mine(id), home.id('schedule:never-was', blind.who)]
    const answers = await blind.every(minimal(home), ids)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]).toMatchObject({
      status: 403,
      body: { error: { code: 'schedules_not_allowed', appAction: 'integrations.record' } },
    })
  },
)

verifies('4.rule8.schedules', 'deleting a schedule is 403 not_offered, for every id', async (home) => {
  const schedules = new RuleCalls(home, 'schedule')
  const { id } = await schedules.create(minimal(home))
  for (const target of [id, home.id('schedule:never-was')])
    expect(statusAndCode(await schedules.send('DELETE', target))).toEqual([403, 'not_offered'])
  expect(await schedules.get(id)).toMatchObject({ revision: 1 })
})

verifies(
  '2.5.not-ownership',
  'another integration that sees all its references can edit it; the origin stays',
  async (home) => {
    const made = await new RuleCalls(home, 'schedule').create(minimal(home))
    const other = new RuleCalls(
      home,
      'schedule',
      await home.integrate({ expose: ['gang:entrance-panel:0'], settings: { schedules: 'on' } }),
    )
    expect(await other.edit(other.mine(made.id), { enabled: false, ifRevision: 1 })).toMatchObject({
      revision: 2,
      origin: { integration: home.main.id, link: home.main.link },
    })
  },
)
