import { expect } from 'vitest'
import { type TestHome, verifies, verifiesAlone } from '#support/gateway/harness.ts'

const FILE = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'BEGIN:VEVENT',
  'UID:1',
  'DTSTART;VALUE=DATE:20270501',
  'DTEND;VALUE=DATE:20270502',
  'RRULE:FREQ=YEARLY',
  'SUMMARY:Labour Day',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n')

const verifiesByAdmin = verifiesAlone(() => ({}), { over: 'http' })

interface Shown {
  readonly calendars: readonly { readonly id: string; readonly events: readonly { readonly title: string }[] }[]
}

interface Ranged {
  readonly events: readonly { readonly begins: number; readonly ends: number }[]
}

const rule = (calendar: string): object => ({
  name: 'Bins out',
  when: [{ calendar, event: 'begins', offset: -720, title: 'paper' }],
  if: [{ not: { calendar, title: 'glass' } }],
  then: [{ delay: 1 }],
})
const post = (home: TestHome, body: object, token?: string) =>
  home.call({ method: 'POST', path: '/v1/automations', body, ...(token !== undefined && { token }) })

verifies('automations.calendar', 'a rule names a calendar, and its next runs are known', async (home) => {
  const { calendars } = (await home.get('/v1/calendars')) as unknown as Shown
  expect(calendars.map(({ id }) => id)).toEqual(['bins', 'days-off'])
  expect(calendars[0]?.events).toHaveLength(10)
  expect(calendars[0]?.events[0]).toMatchObject({ title: 'Paper', wholeDays: true })
  expect(await post(home, rule('bins'))).toMatchObject({ status: 201 })
  const tried = await home.call({ method: 'POST', path: '/v1/automations/try', body: rule('bins') })
  const { nextRuns } = tried.body as { readonly nextRuns: readonly number[] }
  const [paper] = (calendars[0]?.events ?? []) as unknown as { readonly begins: number }[]
  expect([11, 12, 13].map((hours) => paper!.begins - hours * 3_600_000)).toContain(nextRuns[0])
})

verifies('automations.calendar-range', 'a range answers its events, at most 200 of each calendar', async (home) => {
  const eventsOf = async (query: string) =>
    ((await home.get(`/v1/calendars${query}`)) as unknown as { readonly calendars: readonly Ranged[] }).calendars[0]!
      .events
  const next = await eventsOf('')
  const [first, second, third] = next
  expect(await eventsOf(`?from=${first!.begins}&to=${third!.begins}`)).toEqual([first, second])
  expect(await eventsOf(`?from=${first!.ends}&to=${second!.begins}`)).toEqual([])
  const all = await eventsOf('?from=0')
  expect(all.length).toBeGreaterThan(next.length)
  expect(all.length).toBeLessThanOrEqual(200)
  const refused = await home.call({ method: 'GET', path: '/v1/calendars', query: { from: 'today' } })
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
})

verifies('automations.calendar', 'a part with a wrong field is 422, with its place', async (home) => {
  for (const [part, at] of [
    [{ calendar: 'bins', event: 'never' }, '/when/0'],
    [{ calendar: 'bins', event: 'begins', offset: 10_081 }, '/when/0'],
    [{ calendar: 'bins' }, '/when/0'],
    [{ calendar: 'bins', event: 'begins', title: '\u001b]0;owned\u0007' }, '/when/0'],
  ] as const)
    expect(await post(home, { ...rule('bins'), when: [part] })).toMatchObject({
      status: 422,
      body: { error: { code: 'validation', at: expect.stringContaining(at) as string } },
    })
})

verifies('automations.calendar-hidden', 'a hidden calendar answers like an invented one', async (home) => {
  const settings = { automations: 'on' } as const
  const hiding = await home.integrate({ expose: ['room:hall', 'calendar:days-off'], settings })
  const seeing = await home.integrate({ expose: ['calendar:bins'], settings })
  const { automation: made } = (await post(home, rule('bins'))).body as { readonly automation: { readonly id: string } }
  const idsOf = async (token: string): Promise<readonly string[]> =>
    ((await home.get('/v1/calendars', token)) as unknown as Shown).calendars.map(({ id }) => id)
  expect(await idsOf(hiding.token)).toEqual(['days-off'])
  expect(await idsOf(seeing.token)).toEqual(['bins'])
  const hidden = await post(home, rule('bins'), hiding.token)
  expect(hidden).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  expect(hidden.body).toEqual((await post(home, rule('invented'), hiding.token)).body)
  const rulesOf = async (token: string): Promise<string> => JSON.stringify(await home.get('/v1/automations', token))
  const local = made.id.split(':').at(-1) ?? ''
  expect(await rulesOf(hiding.token)).not.toContain(local)
  expect(await rulesOf(seeing.token)).toContain(local)
})

verifiesByAdmin(
  'automations.calendar-list',
  'administrators add, change and remove calendars; one that a rule names stays',
  async (home) => {
    const { admin } = home.running
    const added = await admin.call<Shown>('POST', '/calendars', { name: 'Fêtes', file: FILE })
    expect(added.calendars.at(-1)).toMatchObject({ id: 'fetes', source: 'file', host: null, problem: null })
    expect(added.calendars.at(-1)?.events[0]).toMatchObject({ title: 'Labour Day' })
    const refused = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<string> =>
      admin.call(method, path, body).then(
        () => 'taken',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      )
    expect(await refused('POST', '/calendars', { name: 'Fêtes', id: 'other', file: FILE })).toContain('exists already')
    expect(await refused('POST', '/calendars', { name: 'None', file: 'hello' })).toContain('It is no iCalendar file.')
    expect(await refused('POST', '/calendars', { name: 'Two', file: FILE, url: 'https://example.org' })).toContain(
      'needs one of',
    )
    const own = ['https://localhost/a.ics', 'https://bins.localhost/']
    for (const url of [
      ...own,
      'http://example.org/a.ics',
      'https://127.0.0.1/a.ics',
      'https://[::1]/',
      'https://a:b@c.org/',
    ])
      expect(await refused('POST', '/calendars', { name: 'Local', url })).toContain('url')
    await post(home, rule('fetes'))
    expect(await refused('DELETE', '/calendars/fetes')).toContain('The calendar is used by automation Bins out (')
    const changed = await admin.call<Shown>('PATCH', '/calendars/fetes', {
      name: 'Feste',
      dates: [{ from: '12-24', until: '01-02', title: 'Closed' }],
    })
    expect(changed.calendars.at(-1)).toMatchObject({ id: 'fetes', name: 'Feste', source: 'dates' })
    expect(changed.calendars.at(-1)?.events[0]).toMatchObject({ title: 'Closed' })
    expect(await refused('DELETE', '/calendars/none')).toContain('There is no calendar none')
    const { calendars } = await admin.call<Shown>('POST', '/calendars', { name: 'Late', dates: [{ from: '01-01' }] })
    expect(calendars).toHaveLength(4)
    expect((await admin.call<Shown>('DELETE', '/calendars/late')).calendars).toHaveLength(3)
  },
)
