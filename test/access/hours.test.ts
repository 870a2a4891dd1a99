import { describe, expect } from 'vitest'
import { Temporal } from 'temporal-polyfill'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'
import { postPairing } from '../agents/device-flow.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }))

/** The minute that begins next, after `minutes`. */
const ahead = (minutes: number, now = clock.now()): number => (Math.floor(now / MINUTE) + 1 + minutes) * MINUTE

/** A moment of the week at an epoch ms. */
function weekTime(at: number): string {
  const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('Europe/Berlin')
  const day = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'][time.dayOfWeek - 1]
  return `${day} ${time.toPlainTime().toString().slice(0, 5)}`
}

interface Named {
  readonly name: string
  readonly state: string
}

const between = (from: number, until: number) => ({ hours: [{ from: weekTime(from), until: weekTime(until) }] })

const read = (home: TestHome, { token }: TestIntegration) =>
  home.call({ method: 'GET', path: '/v1/activity', query: { limit: '1' }, token })

const refusal = (message: string) => ({
  status: 403,
  body: { error: { code: 'record_disabled', appAction: 'integrations.record', message } },
})
const OUTSIDE = refusal('This integration is not served outside its hours. An administrator can change them.')
const ENDED = refusal('The time of this integration has ended. An administrator can give it a later end.')

describe('a record with hours or an end', () => {
  verifies('administration.hours', 'is served in its hours alone, and says when the next begin', async (home) => {
    const guest = await home.integrate({})
    const [opens, closes] = [ahead(1), ahead(3)]
    await home.change(guest, between(opens, closes))
    const before = clock.now()
    const answer = await read(home, guest)
    expect(answer).toMatchObject(OUTSIDE)
    const { retryAfter } = (answer.body as { error: { retryAfter: number } }).error
    expect(retryAfter).toBeLessThanOrEqual(Math.ceil((opens - before) / 1_000))
    expect(retryAfter).toBeGreaterThanOrEqual(Math.ceil((opens - clock.now()) / 1_000))
    await clock.pass(opens - clock.now())
    expect(await read(home, guest)).toMatchObject({ status: 200 })
    await clock.pass(closes - clock.now())
    const later = await read(home, guest)
    expect(later).toMatchObject(OUTSIDE)
    const wait = (later.body as { error: { retryAfter: number } }).error.retryAfter * 1_000
    expect(wait).toBeGreaterThan(7 * DAY - 4 * MINUTE)
    await home.change(guest, { hours: [] })
    expect(await read(home, guest)).toMatchObject({ status: 200 })
  })

  verifies('administration.hours', 'is refused after its end, without a time to try again', async (home) => {
    const guest = await home.integrate({})
    const until = clock.now() + MINUTE
    await home.change(guest, { until })
    expect(await read(home, guest)).toMatchObject({ status: 200 })
    await clock.pass(until - clock.now())
    const answer = await read(home, guest)
    expect(answer).toMatchObject(ENDED)
    expect(answer.text).not.toContain('retryAfter')
    const { attention } = await home.running.admin.call<{ attention: { kind: string; what: string }[] }>(
      'GET',
      '/status',
    )
    expect(attention.find(({ kind }) => kind === 'record')?.what).toContain('The time of Test has ended')
    await home.change(guest, { until: clock.now() + DAY })
    expect(await read(home, guest)).toMatchObject({ status: 200 })
    await home.running.admin.call('DELETE', `/integrations/${guest.id}`)
  })

  verifies('administration.hours-stream', 'loses its streams at the end of its hours', async (home) => {
    const guest = await home.integrate({})
    const closes = ahead(1)
    await home.change(guest, between(closes - 5 * MINUTE, closes))
    const socket = await home.socket(guest.token)
    await socket.subscribe(['*'])
    await clock.pass(closes - clock.now() + 1_000)
    expect(await clock.hasten(socket.ended)).toBe(4403)
    expect(socket.events.at(-1)).toMatchObject({
      error: { code: 'record_disabled', retryAfter: expect.any(Number) as number },
    })
    await expect(home.socket(guest.token)).rejects.toMatchObject({ answer: OUTSIDE })
  })

  verifies('administration.hours-openings', 'opens nothing by its rules outside its hours', async (home) => {
    const settings = { allow_unlock: 'on', automations: 'on', schedules: 'on' }
    const guest = await home.integrate({ settings })
    const when = [{ device: home.id('guest-light', guest), state: 'on', is: true }]
    const then = [{ device: home.id('driveway-gate', guest), op: 'open' }]
    const rules = new RuleCalls(home, 'automation', guest)
    const { id } = await rules.create({ name: 'Arriving', when, then })
    await home.change(guest, between(ahead(60), ahead(120)))
    for (const on of [false, true]) {
      const body = { op: 'set_power', args: { on } }
      await home.call({ method: 'POST', path: home.at('guest-light', '/control'), body })
    }
    await clock.pass(2_000)
    const isIt = { kind: 'refused', what: 'open refused: the integration behind it is outside its hours' }
    await home.change(guest, { hours: [] })
    const { entries } = await home.get('/v1/activity?limit=20', guest.token)
    expect(entries).toContainEqual(expect.objectContaining(isIt))
    const rule = rules.as(home.main)
    expect(await rule.get(rule.mine(id))).toMatchObject({ enabled: true })
    await home.change(guest, { until: clock.now() + MINUTE })
    await clock.pass(2 * MINUTE)
    expect(await rule.get(rule.mine(id))).toMatchObject({ enabled: false })
    await home.running.admin.call('DELETE', `/integrations/${guest.id}`)
  })

  verifies('administration.hours-agents', 'takes no agents outside its hours', async (home) => {
    const guest = await home.integrate({ settings: { agent_access: 'on' } })
    await home.change(guest, between(ahead(60), ahead(120)))
    expect(await postPairing(home, { record: guest.id })).toMatchObject({
      status: 403,
      body: { error: { code: 'agent_access_disabled' } },
    })
    await home.change(guest, { hours: [] })
    expect(await postPairing(home, { record: guest.id })).toMatchObject({ status: 200 })
  })
})

describe('hours and ends', () => {
  verifies('administration.hours-changes', 'are checked, previewed in words and part of the revision', async (home) => {
    const { admin } = home.running
    const { id } = await home.integrate({})
    const hours = [{ from: 'fri 16:00', until: 'sun 20:00' }]
    const until = Date.UTC(2031, 0, 31, 11)
    const change = (body: object) => admin.call<Record<string, object>>('PATCH', `/integrations/${id}`, body)
    const readIt = () => admin.call<{ integration: { revision: string } }>('GET', `/integrations/${id}`)
    const before = (await readIt()).integration
    expect(before).toMatchObject({ until: null, hours: [], state: 'served', opensAt: null })
    for (const [body, words] of [
      [{ hours: [...hours, { from: 'sun 19:00', until: 'mon 01:00' }] }, 'overlap'],
      [{ hours: [{ from: 'fri 16:00', until: 'fri 16:00' }] }, 'has no length'],
      [{ hours: [{ from: 'Friday', until: 'sun 20:00' }] }, 'is not a time of the week'],
      [{ hours: Array.from({ length: 22 }, () => hours[0]) }, 'hours'],
      [{ until: 1 }, 'later than now'],
    ] as const) {
      await expect(change(body), words).rejects.toThrow(words)
      await expect(admin.call('POST', `/integrations/${id}/preview`, body), words).rejects.toThrow(words)
    }
    const preview = await admin.call<{ changes: object[] }>('POST', `/integrations/${id}/preview`, { until, hours })
    expect(preview.changes).toEqual([
      {
        what: 'until',
        from: 'no end',
        to: '2031-01-31 12:00',
        means: expect.stringContaining('refused from 2031') as string,
      },
      {
        what: 'hours',
        from: 'always',
        to: 'fri 16:00–sun 20:00',
        means: expect.stringContaining('open nothing') as string,
      },
    ])
    expect(await change({ until, hours })).toMatchObject({ integration: { until, hours } })
    await expect(change({ ifRevision: before.revision, hours: [] })).rejects.toThrow('changed meanwhile')
    // An end that stays as it is may have passed.
    expect(await change({ name: 'Lena', until })).toMatchObject({ integration: { name: 'Lena', until, hours } })
  })

  verifies('administration.hours-commands', 'are typed in words, and refused in words', async (home) => {
    const commands = new HomeCommands(home)
    const { integration } = await commands.answer<{ integration: { id: string; hours: object[] } }>(
      ...['integration', 'create', '--name', 'Guest', '--until', '3d', '--hours', 'fri 16:00-sun 20:00'],
    )
    expect(integration.hours).toEqual([{ from: 'fri 16:00', until: 'sun 20:00' }])
    const time = (...words: string[]): Promise<string> =>
      commands.output('integration', 'time', integration.id, ...words)
    expect(
      await time('--hours', 'mon-tue 07:00-20:00', 'sat 22:00-06:00', 'sun 20:00-24:00', '--until', 'never'),
    ).toMatch(/hours {4}mon 07:00–20:00, tue 07:00–20:00, sat 22:00–sun 06:00, sun 20:00–mon 00:00/)
    expect(await time('--hours', 'always', '--dry-run')).toMatch(/hours +mon 07:00.* -> always/)
    expect(await time('--hours', 'always')).not.toContain('hours')
    const wrong = (...words: string[]) => commands.sentence('integration', 'time', integration.id, ...words)
    expect(await wrong('--hours', 'weekend')).toContain(
      '"weekend" is not a part of the week such as "fri 16:00-sun 20:00"',
    )
    expect(await wrong('--hours', 'fri 16:00-18:00', 'fri 17:00-19:00')).toContain('overlap')
    expect(await wrong('--until', 'tomorrow')).toContain('is not a time')
    expect(await wrong()).toContain('Give --until, --hours or both.')
  })

  proves(
    'administration.hours-clock',
    'go on by uptime after a wrong clock, and wait at a start with one',
    async () => {
      const manual = new ManualClock(Math.floor(Date.now() / MINUTE) * MINUTE)
      const dataDir = tempFolder()
      const status = async ({ admin }: TestGateway): Promise<string[]> => {
        const { integrations } = await admin.call<{ integrations: Named[] }>('GET', '/integrations')
        return ['Ten days', 'Five minutes', 'Always'].map((wanted) => {
          const found = integrations.find(({ name }) => name === wanted)
          return found?.state ?? 'missing'
        })
      }
      const first = await TestGateway.open({ clock: manual, dataDir, settled: false, ...ONE_UNIT })
      const make = (name: string, body: object) => first.admin.call('POST', '/integrations', { name, ...body })
      await make('Ten days', { until: manual.now() + 10 * DAY })
      await make('Five minutes', { until: manual.now() + 5 * MINUTE })
      await make('Always', {})
      await manual.advanceAsync(2 * MINUTE)
      for (const jump of [730 * DAY, -1460 * DAY, 730 * DAY]) {
        manual.jumpWall(jump)
        expect(await status(first)).toEqual(['served', 'served', 'served'])
      }
      manual.jumpWall(730 * DAY)
      await manual.advanceAsync(4 * MINUTE)
      expect(await status(first)).toEqual(['served', 'ended', 'served'])
      await first[Symbol.asyncDispose]()
      await using second = await TestGateway.open({ clock: manual, dataDir, settled: false, ...ONE_UNIT })
      expect(await status(second)).toEqual(['clock_doubted', 'clock_doubted', 'served'])
      manual.jumpWall(-730 * DAY)
      await manual.advanceAsync(2 * MINUTE)
      expect(await status(second)).toEqual(['served', 'ended', 'served'])
    },
  )
})
