import { expect } from 'vitest'
import { type TestHome, verifiesOver } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls } from '#support/gateway/rule-calls.ts'

const verifies = verifiesOver('http')

const minimal = (home: TestHome) => ({
  name: 'Hall by night',
  when: [{ time: '22:00' }],
  then: [power(home, 'hall-light', true)],
})

verifies(
  ['4.automations', 'automations.automation', 'requests.created', '2.5.origin', '2.5.revision'],
  'an automation is created with 201, its place, its defaults, its origin and revision 1',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const answer = await automations.send('POST', undefined, minimal(home))
    const { automation } = answer.body as { automation: { id: string } }
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      house: 'Sonnenwinkel',
      automation: {
        id: expect.stringMatching(new RegExp(`^${home.id('automation:')}[a-z0-9]+$`)),
        ...minimal(home),
        enabled: true,
        if: [],
        mode: 'single',
        paused: false,
        revision: 1,
        origin: { integration: home.main.id, link: home.main.link },
      },
    })
    if (home.transport === 'http')
      expect(decodeURIComponent(answer.headers?.['location'] ?? '')).toBe(`/v1/automations/${automation.id}`)
    expect(await automations.get(automation.id)).toEqual(automation)
    expect(await automations.list()).toContainEqual(automation)
  },
)

verifies(
  ['4.automations', '4.put', 'automations.automation'],
  'PATCH and PUT do the same: they change the named fields and leave the rest',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    for (const method of ['PATCH', 'PUT']) {
      const made = await automations.create(minimal(home))
      const edited = await automations.send(method, made.id, { enabled: false, mode: 'queued', ifRevision: 1 })
      expect(edited).toMatchObject({
        status: 200,
        body: { house: 'Sonnenwinkel', automation: { ...made, enabled: false, mode: 'queued', revision: 2 } },
      })
      // The whole object with one changed word is an edit too.
      const { revision, ...rest } = await automations.get(made.id)
      expect(
        await automations.send(method, made.id, { ...rest, revision, name: 'Other', ifRevision: revision }),
      ).toMatchObject({ status: 200, body: { automation: { name: 'Other', revision: 3 } } })
      for (const body of [
        { id: home.id('automation:other') },
        { origin: null },
        { revision: 9 },
        { paused: 'no' },
        { next: 5 },
        { colour: 'red' },
      ]) {
        expect(
          statusAndCode(await automations.send(method, made.id, { ...body, ifRevision: 3 })),
          JSON.stringify(body),
        ).toEqual([422, 'validation'])
      }
      expect(await automations.get(made.id)).toMatchObject({ revision: 3 })
    }
  },
)

verifies(
  ['4.rule6.automation', '7.revision', 'automations.if-revision'],
  'an outdated revision is 409 and names the current one; a missing one is 422',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const { id } = await automations.create(minimal(home))
    await automations.edit(id, { name: 'Second', ifRevision: 1 })
    for (const method of ['PATCH', 'PUT']) {
      for (const ifRevision of [1, 3]) {
        const answer = await automations.send(method, id, { name: 'Third', ifRevision })
        expect(statusAndCode(answer)).toEqual([409, 'revision_mismatch'])
        expect(answer.text).toContain('revision is now 2')
      }
      for (const body of [{ name: 'Third' }, { name: 'Third', ifRevision: null }])
        expect(statusAndCode(await automations.send(method, id, body))).toEqual([422, 'validation'])
    }
    expect(await automations.get(id)).toMatchObject({ name: 'Second', revision: 2 })
  },
)

verifies(
  ['2.1.automations', 'refusals.rule-gate'],
  'with automations off, every call about every id gets the same 403, known or not',
  async (home) => {
    const { id } = await new RuleCalls(home, 'automation').create(minimal(home))
    const blind = new RuleCalls(
      home,
      'automation',
      await home.integrate({ settings: { automations: 'off', schedules: 'on' } }),
    )
    const ids = [blind.mine(id), home.id('automation:never-was', blind.who), 'nonsense']
    const answers = await blind.every(minimal(home), ids)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]).toMatchObject({
      status: 403,
      body: { error: { code: 'automations_not_allowed', appAction: 'integrations.record' } },
    })
    await home.change(blind.who, { settings: { automations: 'on' } })
    expect((await blind.send('GET', blind.mine(id))).status).toBe(200)
  },
)

verifies('4.rule8.automations', 'deleting an automation is 403 not_offered, for every id', async (home) => {
  const automations = new RuleCalls(home, 'automation')
  const { id } = await automations.create(minimal(home))
  for (const target of [id, home.id('automation:never-was')])
    expect(statusAndCode(await automations.send('DELETE', target))).toEqual([403, 'not_offered'])
  expect(await automations.get(id)).toMatchObject({ revision: 1 })
})

verifies(
  '2.5.not-ownership',
  'another integration that sees all its references can edit it; the origin stays',
  async (home) => {
    const made = await new RuleCalls(home, 'automation').create(minimal(home))
    const other = new RuleCalls(
      home,
      'automation',
      await home.integrate({ expose: ['room:hall'], settings: { automations: 'on' } }),
    )
    expect(await other.edit(other.mine(made.id), { enabled: false, ifRevision: 1 })).toMatchObject({
      enabled: false,
      revision: 2,
      origin: { integration: home.main.id, link: home.main.link },
    })
    expect(await new RuleCalls(home, 'automation').get(made.id)).toMatchObject({ enabled: false, revision: 2 })
  },
)

verifies(
  'automations.triggers',
  'each documented trigger is accepted, and no other',
  { tags: ['long'] },
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const [light, sensor] = [home.id('hall-light'), home.id('landing-sensor')]
    for (const trigger of [
      { device: light, state: 'on', is: true },
      { device: light, state: 'mode', is: 'auto', for: 600 },
      { device: home.id('living-lamp'), state: 'bri', above: 10, below: 90 },
      { device: home.id('front-door'), state: 'locked', is: false },
      { device: sensor, reading: 'temperature', above: 25.5 },
      { device: sensor, reading: 'light', below: 20, for: 86_400 },
      { device: sensor, detection: 'motion' },
      { device: sensor, detection: 'motion', is: false },
      { time: '00:00' },
      { time: '23:59', days: [1, 7] },
      { sun: 'sunrise' },
      { sun: 'sunset', offset: -360, days: [6] },
      { sun: 'sunset', offset: 360 },
      { scene: home.id('scene:dinner') },
    ]) {
      const answer = await automations.send('POST', undefined, { ...minimal(home), when: [trigger] })
      expect(answer, JSON.stringify(trigger)).toMatchObject({ status: 201, body: { automation: { when: [trigger] } } })
    }
    for (const trigger of [
      {},
      { device: light },
      { device: light, state: 'on' },
      { device: light, state: 'on', is: 'yes' },
      { device: light, state: 'pos', above: 5 },
      { device: light, state: 'on', above: 1 },
      { device: light, state: 'on', is: true, for: 86_401 },
      { device: light, state: 'on', is: true, for: 0 },
      { device: sensor, reading: 'smell', above: 1 },
      { device: home.id('kitchen-panel:0'), detection: 'motion' },
      { device: sensor, detection: 'ghost' },
      { time: '24:00' },
      { time: '7:00' },
      { time: '07:00', days: [0] },
      { time: '07:00', days: [8] },
      { time: '07:00', days: [] },
      { time: '07:00', days: [1, 1] },
      { sun: 'moonrise' },
      { sun: 'sunset', offset: 361 },
      { scene: home.id('scene:dinner'), for: 5 },
      { time: '07:00', sun: 'sunset' },
      'noon',
      null,
    ])
      expect(
        statusAndCode(await automations.send('POST', undefined, { ...minimal(home), when: [trigger] })),
        JSON.stringify(trigger),
      ).toEqual([422, 'validation'])
    const when = (count: number) =>
      automations.send('POST', undefined, {
        ...minimal(home),
        when: Array.from({ length: count }, () => ({ time: '07:00' })),
      })
    expect([(await when(20)).status, (await when(21)).status, (await when(0)).status]).toEqual([201, 422, 422])
  },
)

verifies('automations.conditions', 'conditions are state and reading tests and time windows', async (home) => {
  const automations = new RuleCalls(home, 'automation')
  const [light, sensor] = [home.id('hall-light'), home.id('landing-sensor')]
  for (const condition of [
    { device: light, state: 'on', is: false },
    { device: sensor, reading: 'light', below: 20 },
    { device: sensor, reading: 'temperature', above: 5, below: 10 },
    { after: '22:00', before: '06:00' },
    { after: 'sunset', before: 'sunrise', days: [5, 6] },
    { after: '22:00' },
    { before: 'sunrise' },
    { days: [1] },
  ]) {
    const answer = await automations.send('POST', undefined, { ...minimal(home), if: [condition] })
    expect(answer, JSON.stringify(condition)).toMatchObject({ status: 201, body: { automation: { if: [condition] } } })
  }
  for (const condition of [
    {},
    { device: light, state: 'on', is: true, for: 60, within: 60 },
    { device: sensor, detection: 'motion' },
    { after: 'noon' },
    { after: '25:00' },
    { days: [] },
    { scene: home.id('scene:dinner') },
    { time: '07:00' },
    null,
  ])
    expect(
      statusAndCode(await automations.send('POST', undefined, { ...minimal(home), if: [condition] })),
      JSON.stringify(condition),
    ).toEqual([422, 'validation'])
})

verifies(
  ['4.automations', 'automations.automation'],
  'a body without name, trigger or step, with a wrong mode, or with changed read-only fields is 422',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const { name, when, then } = minimal(home)
    for (const body of [
      { when, then },
      { name, then },
      { name, when },
      { name: '', when, then },
      { name: 'x'.repeat(81), when, then },
      { name, when, then: [] },
      { name, when, then, mode: 'parallel' },
      { name, when, then, enabled: 'yes' },
      { name, when, then, id: 'mine' },
      { name, when, then, origin: null },
      { name, when, then, paused: false },
      [],
      'automation',
      null,
    ])
      expect(statusAndCode(await automations.send('POST', undefined, body)), JSON.stringify(body)).toEqual([
        422,
        'validation',
      ])
    expect(
      (
        await automations.send('POST', undefined, {
          name: 'x'.repeat(80),
          when,
          then: [{ scene: home.id('scene:dinner') }, { delay: 1 }],
        })
      ).status,
    ).toBe(201)
  },
)
