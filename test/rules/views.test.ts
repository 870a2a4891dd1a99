import { expect } from 'vitest'
import { type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls, type RuleObject } from '#support/gateway/rule-calls.ts'

const verifies = verifiesOver('http')

/** A scene over two rooms, and an integration that sees the scene and one of the rooms. */
async function shared(home: TestHome): Promise<{ all: RuleCalls; narrow: RuleCalls; id: string; mine: string }> {
  const all = new RuleCalls(home, 'scene')
  const { id } = await all.create({
    name: 'Shared',
    steps: [
      power(home, 'living-tv', false),
      power(home, 'study-light', true),
      { delay: 1 },
      power(home, 'hall-light', true),
      power(home, 'study-desk', true),
      power(home, 'guest-light', true),
    ],
  })
  const narrow = new RuleCalls(
    home,
    'scene',
    await home.integrate({
      expose: ['room:study', id.split(':').slice(2).join(':')],
      settings: { automations: 'on', schedules: 'on' },
    }),
  )
  return { all, narrow, id, mine: narrow.mine(id) }
}

verifies(
  ['automations.hidden-steps', '4.scene-edit'],
  'an integration that sees one room edits the shared scene and leaves other steps in place, in their order',
  { tags: ['long'] },
  async (home) => {
    const { all, narrow, id, mine } = await shared(home)
    const own = (local: string, on: boolean) => power(home, local, on, narrow.who)
    const seen = await narrow.get(mine)
    expect(seen).toMatchObject({
      members: [home.id('study-light', narrow.who), home.id('study-desk', narrow.who)],
      hiddenMembers: 3,
      steps: [own('study-light', true), { delay: 1 }, own('study-desk', true)],
    })
    // Sent back unchanged, only the revision changes.
    await narrow.edit(mine, { steps: seen.steps, ifRevision: 1 })
    expect((await all.get(id)).steps).toHaveLength(6)
    const edited = await narrow.edit(mine, {
      steps: [own('study-light', false), own('study-light', true)],
      ifRevision: 2,
    })
    expect(edited).toMatchObject({
      steps: [own('study-light', false), own('study-light', true)],
      hiddenMembers: 3,
      revision: 3,
    })
    expect((await all.get(id)).steps).toEqual([
      power(home, 'living-tv', false),
      power(home, 'study-light', false),
      power(home, 'study-light', true),
      power(home, 'hall-light', true),
      power(home, 'guest-light', true),
    ])
    await narrow.edit(mine, { steps: [], ifRevision: 3 })
    expect((await all.get(id)).steps).toEqual([
      power(home, 'living-tv', false),
      power(home, 'hall-light', true),
      power(home, 'guest-light', true),
    ])
    expect(await narrow.get(mine)).toMatchObject({ steps: [], members: [], hiddenMembers: 3 })
  },
)

verifies(
  ['automations.hidden-steps', '2.5.revision', '4.rule6.scene'],
  'an edit of hidden steps changes nothing visible, including the revision, and is no conflict',
  async (home) => {
    const { all, narrow, id, mine } = await shared(home)
    const socket = await home.socket(narrow.who.token)
    await socket.subscribe(['*'])
    const views = async (): Promise<string[]> =>
      Promise.all([narrow.send('GET'), narrow.send('GET', mine)].map(async (answer) => (await answer).text))
    const before = await views()
    const { steps = [] } = await all.get(id)
    for (const [index, on] of [false, true, false].entries()) {
      const changed = steps.map((step) =>
        'device' in step && step.device === home.id('hall-light') ? power(home, 'hall-light', on) : step,
      )
      await all.edit(id, { steps: changed, ifRevision: index + 1 })
    }
    expect((await all.get(id)).revision).toBe(4)
    expect(await views()).toEqual(before)
    // Its own edit starts from the revision that it knows; for the others that is one edit more.
    expect(await narrow.edit(mine, { name: 'Renamed', ifRevision: 1 })).toMatchObject({ revision: 2 })
    expect(await all.get(id)).toMatchObject({ name: 'Renamed', revision: 5 })
    const stale = await narrow.send('PATCH', mine, { name: 'Again', ifRevision: 1 })
    expect(statusAndCode(stale)).toEqual([409, 'revision_mismatch'])
    expect(stale.text).toContain('revision is now 2')
    // Apart from readings, the rename is the first event of the open stream.
    await socket.event(({ event }) => event === 'scenes')
    const kinds = socket.events.map(({ event }) => event)
    expect(kinds.filter((event) => event !== 'sensor')).toEqual(['exposure', 'scenes'])
    socket.close()
  },
)

verifies(['automations.hidden-steps', '4.rule5.exposed'], 'its refusals reveal nothing hidden', async (home) => {
  const { narrow, mine } = await shared(home)
  const answers = await Promise.all([
    narrow.send('PATCH', mine, { steps: [power(home, 'hall-light', true, narrow.who)], ifRevision: 1 }),
    narrow.send('PATCH', mine, { steps: [power(home, 'never-was', true, narrow.who)], ifRevision: 1 }),
    narrow.send('PATCH', mine, {
      steps: [{ device: home.id('study-light', narrow.who), op: 'open' }],
      ifRevision: 1,
    }),
    narrow.send('PATCH', mine, { name: 'x', ifRevision: 7 }),
    narrow.send('GET', home.id('scene:good-night', narrow.who)),
    narrow.send('PATCH', home.id('scene:good-night', narrow.who), { name: 'x', ifRevision: 1 }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 422, 409, 404, 404])
  expect(answers[0].text).toBe(answers[1].text)
  for (const { text } of answers) expect(text).not.toMatch(/hall|living|guest|Good night|tv/i)
})

/** The four places in which a rule can name an object, each with one outside the study. */
const outside = (home: TestHome, who: TestIntegration, kind: 'automation' | 'schedule', scene: string): object[] => {
  const within = power(home, 'study-light', true, who)
  if (kind === 'schedule')
    return [
      { at: { time: '07:00' }, then: [within, power(home, 'hall-light', true, who)] },
      { at: { time: '07:00' }, then: [{ scene }] },
    ]
  const when = [{ device: home.id('study-light', who), state: 'on', is: true }]
  return [
    { when: [...when, { device: home.id('landing-sensor', who), detection: 'motion' }], then: [within] },
    { when, if: [{ device: home.id('hall-light', who), state: 'on', is: false }], then: [within] },
    { when, then: [within, power(home, 'hall-light', true, who)] },
    { when, then: [{ scene }] },
    { when: [{ scene }], then: [within] },
  ]
}

for (const kind of ['automation', 'schedule'] as const) {
  const id = kind === 'automation' ? '2.5.visible-automations' : '2.5.visible-schedules'
  const hold = async (home: TestHome): Promise<void> => {
    const all = new RuleCalls(home, kind)
    const narrow = all.as(
      await home.integrate({ expose: ['room:study'], settings: { automations: 'on', schedules: 'on' } }),
    )
    const inside = await all.create({
      name: 'Inside',
      ...(kind === 'schedule' ? { at: { sun: 'sunset' } } : { when: [{ time: '07:00' }] }),
      then: [power(home, 'study-light', true), { delay: 5 }],
    })
    const hidden: RuleObject[] = []
    for (const body of outside(home, home.main, kind, home.id('scene:dinner')))
      hidden.push(await all.create({ name: 'Elsewhere', ...body }))
    const listed = await narrow.send('GET')
    expect((await narrow.list()).map(({ name }) => name)).toContain('Inside')
    expect(listed.text).not.toMatch(/Elsewhere|hall-light|landing|dinner/)
    expect(await narrow.get(narrow.mine(inside.id))).toMatchObject({ name: 'Inside', revision: 1 })
    const never = home.id(`${kind}:never-was`, narrow.who)
    for (const [method, body] of [
      ['GET'],
      ['PATCH', { name: 'Mine', ifRevision: 1 }],
      ['PUT', { enabled: false, ifRevision: 7 }],
    ] as const) {
      const unknown = await narrow.send(method, never, body)
      expect(unknown.status).toBe(404)
      for (const rule of hidden) expect((await narrow.send(method, narrow.mine(rule.id), body)).text).toBe(unknown.text)
    }
    // It cannot create them either.
    for (const body of outside(home, narrow.who, kind, home.id('scene:dinner', narrow.who))) {
      expect(
        statusAndCode(await narrow.send('POST', undefined, { name: 'Sneaky', ...body })),
        JSON.stringify(body),
      ).toEqual([404, 'not_found'])
      expect(
        statusAndCode(await narrow.send('PATCH', narrow.mine(inside.id), { ...body, ifRevision: 1 })),
        JSON.stringify(body),
      ).toEqual([404, 'not_found'])
    }
    expect(await all.get(inside.id)).toMatchObject({ revision: 1 })
    for (const rule of hidden) expect(await all.get(rule.id)).toMatchObject({ revision: 1 })
  }
  if (id === '2.5.visible-automations')
    verifies(
      '2.5.visible-automations',
      'an automation that names an object outside does not exist',
      { tags: ['long'] },
      hold,
    )
  else verifies('2.5.visible-schedules', 'a schedule that names an object outside does not exist', hold)
}

verifies(
  ['2.5.visible-automations', '2.5.visible-schedules'],
  'a lamp that moves takes its rules along, at once, and back',
  async (home) => {
    const place = (room: string) => home.running.admin.call('POST', '/house/place', { unit: 'guest-light', room })
    const who = await home.integrate({ expose: ['room:guest-room'], settings: { automations: 'on', schedules: 'on' } })
    const automations = new RuleCalls(home, 'automation', who)
    const schedules = new RuleCalls(home, 'schedule', who)
    const automation = await automations.create({
      name: 'Here',
      when: [{ time: '07:00' }],
      then: [power(home, 'guest-light', true, who)],
    })
    const schedule = await schedules.create({
      name: 'Here',
      at: { time: '07:00' },
      then: [power(home, 'guest-light', true, who)],
    })
    await place('studio')
    try {
      expect([
        (await automations.send('GET', automation.id)).status,
        (await schedules.send('GET', schedule.id)).status,
      ]).toEqual([404, 404])
      expect(await automations.list()).toEqual([])
    } finally {
      await place('guest-room')
    }
    expect(await automations.get(automation.id)).toEqual(automation)
    expect((await schedules.get(schedule.id)).name).toBe('Here')
  },
)
