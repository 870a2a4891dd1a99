// @module-tag repeated
import { expect } from 'vitest'
import { statusAndCode, RuleCalls } from '#support/gateway/rule-calls.ts'
import { type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { casesOf } from '#support/long.ts'
import { recordingLog } from '#support/recording-log.ts'

const verifies = verifiesOver('http')

const light = (home: TestHome, who: TestIntegration = home.main) => ({
  device: home.id('study-light', who),
  op: 'set_power',
  args: { on: true },
})

verifies(
  ['4.rule2.gate', '4.rule2.scene'],
  'without allow_unlock an integration cannot edit a scene that opens the gate, even if it does not see the step',
  { tags: ['long'] },
  async (home) => {
    for (const expose of [['all'], ['room:study']]) {
      const made = await home.call({
        method: 'POST',
        path: '/v1/scenes',
        body: { name: 'Leaving', steps: [light(home), { device: home.id('driveway-gate'), op: 'open' }] },
      })
      const scene = (made.body as { scene: { id: string } }).scene.id.split(':').slice(2).join(':')
      const restricted = await home.integrate({
        expose: expose[0] === 'all' ? expose : [...expose, scene],
        settings: { allow_unlock: 'off' },
      })
      const path = `/v1/scenes/${encodeURIComponent(home.id(scene, restricted))}`
      for (const body of [
        { ifRevision: 1, name: 'Going' },
        { ifRevision: 9, name: 'Going' },
        { ifRevision: 1, icon: null },
      ]) {
        expect(
          await home.call({ method: 'PATCH', path, body, token: restricted.token }),
          JSON.stringify(body),
        ).toMatchObject({ status: 403, body: { error: { code: 'unlock_not_allowed' } } })
      }
      const { scene: after } = (await home.get(`/v1/scenes/${encodeURIComponent(home.id(scene))}`)) as { scene: object }
      expect(after).toMatchObject({ name: 'Leaving', revision: 1 })
    }
  },
)

verifies(
  ['4.rule2.gate', '2.1.allow-unlock'],
  'switching allow_unlock off also switches off the integration’s rules that open, and no others',
  async (home) => {
    const who = await home.integrate({ settings: { allow_unlock: 'on', automations: 'on', schedules: 'on' } })
    const gate = { device: home.id('driveway-gate', who), op: 'open' }
    const make = async (path: string, body: object): Promise<string> => {
      const { status, body: made, text } = await home.call({ method: 'POST', path, body, token: who.token })
      expect(status, text).toBe(201)
      const { id } = Object.values(made as Record<string, { id: string }>).find((value) => typeof value === 'object')!
      return `${path}/${encodeURIComponent(id)}`
    }
    const when = [{ device: home.id('study-light', who), state: 'on', is: true }]
    const opening = await make('/v1/automations', { name: 'Opens', when, then: [gate] })
    const harmless = await make('/v1/automations', { name: 'Lights', when, then: [light(home, who)] })
    const timed = await make('/v1/schedules', { name: 'Opens at seven', at: { time: '07:00' }, then: [gate] })
    const { switchedOff } = await home.running.admin.call('PATCH', `/integrations/${who.id}`, {
      settings: { allow_unlock: 'off' },
    })
    expect(switchedOff).toEqual(['Opens', 'Opens at seven'])
    const enabled = async (path: string): Promise<unknown> =>
      Object.values(await home.get(path, who.token))
        .map((value) => (value as { enabled?: boolean }).enabled)
        .find((value) => value !== undefined)
    expect([await enabled(opening), await enabled(harmless), await enabled(timed)]).toEqual([false, true, false])
  },
)

verifies(
  ['4.rule2.gate', '4.rule2.scene'],
  'without allow_unlock an integration may remove the opening steps of a scene',
  async (home) => {
    const made = await home.call({
      method: 'POST',
      path: '/v1/scenes',
      body: { name: 'Leaving', steps: [light(home), { device: home.id('driveway-gate'), op: 'open' }] },
    })
    const scene = (made.body as { scene: { id: string } }).scene.id.split(':').slice(2).join(':')
    const restricted = await home.integrate({ settings: { allow_unlock: 'off' } })
    const answer = await home.call({
      method: 'PATCH',
      path: `/v1/scenes/${encodeURIComponent(home.id(scene, restricted))}`,
      body: { ifRevision: 1, steps: [light(home, restricted)] },
      token: restricted.token,
    })
    expect(answer.status, answer.text).toBe(200)
  },
)

const opener = async (home: TestHome, who: TestIntegration, name: string, then: object[]): Promise<string> => {
  const when = [{ device: home.id('study-light', who), state: 'on', is: true }]
  const body = { name, when, then }
  const made = await home.call({ method: 'POST', path: '/v1/automations', body, token: who.token })
  expect(made.status, made.text).toBe(201)
  return (made.body as { automation: { id: string } }).automation.id.split(':').slice(2).join(':')
}

const isEnabled = async (home: TestHome, local: string): Promise<boolean> =>
  ((await home.get(`/v1/automations/${encodeURIComponent(home.id(local))}`)) as { automation: { enabled: boolean } })
    .automation.enabled

verifies(
  'automations.openers-off',
  'ending a key or an integration switches off and names the rules that opened by its permission, and no others',
  async (home) => {
    const { admin } = home.running
    const ends = [
      ({ link }: TestIntegration) => admin.call('DELETE', `/keys/${link}`),
      ({ id }: TestIntegration) => admin.call('PATCH', `/integrations/${id}`, { enabled: false }),
      ({ id }: TestIntegration) => admin.call('DELETE', `/integrations/${id}`),
    ]
    for (const end of casesOf(ends, 2)) {
      const who = await home.integrate({ settings: { allow_unlock: 'on', automations: 'on' } })
      const gate = [{ device: home.id('driveway-gate', who), op: 'open' }]
      const opens = await opener(home, who, 'Opens', gate)
      const harmless = await opener(home, who, 'Lights', [light(home, who)])
      const others = await opener(home, home.main, 'Others', [{ device: home.id('driveway-gate'), op: 'open' }])
      const taken = await opener(home, who, 'Taken over', gate)
      const path = `/v1/automations/${encodeURIComponent(home.id(taken))}`
      const over = await home.call({ method: 'PATCH', path, body: { ifRevision: 1, mode: 'restart' } })
      expect(over.status, over.text).toBe(200)
      expect(await end(who)).toMatchObject({ switchedOff: ['Opens'] })
      expect(await Promise.all([opens, harmless, others, taken].map((rule) => isEnabled(home, rule)))).toEqual([
        false,
        true,
        true,
        true,
      ])
      const { entries } = (await home.get('/v1/activity')) as { entries: { device: string | null }[] }
      expect(entries.find(({ device }) => device === home.id(opens))).toMatchObject({
        kind: 'edited',
        what: 'turned off: its author no longer has the permission that it needs',
        cause: { source: 'gateway', name: 'gateway', by: { source: 'person' } },
      })
    }
  },
)

verifies(
  ['automations.scenes-lapse', 'automations.openers-off'],
  'a rule or scene that is only renamed keeps its author, and stops opening with the author’s key',
  async (home) => {
    const who = await home.integrate({ settings: { allow_unlock: 'on', automations: 'on' } })
    const gate = [{ device: home.id('driveway-gate', who), op: 'open' }]
    const local = await opener(home, who, 'Opens', gate)
    const made = await new RuleCalls(home, 'scene', who).create({ name: 'Film', steps: gate })
    const [rules, scenes] = [new RuleCalls(home, 'automation'), new RuleCalls(home, 'scene')]
    await rules.edit(home.id(local), { ...(await rules.get(home.id(local))), name: 'Renamed', ifRevision: 1 })
    const scene = scenes.mine(made.id)
    await scenes.edit(scene, { ...(await scenes.get(scene)), name: 'Cinema', ifRevision: 1 })
    expect(await home.running.admin.call('DELETE', `/keys/${who.link}`)).toMatchObject({
      switchedOff: ['Renamed'],
      scenesRefused: ['Cinema'],
    })
    expect(await isEnabled(home, local)).toBe(false)
    expect(await rules.edit(home.id(local), { enabled: true, ifRevision: 3 })).toMatchObject({ enabled: true })
  },
)

verifies(
  ['automations.scenes-lapse', 'automations.openers-off'],
  'ending a key or an integration names the scenes that can no longer run, and no others',
  async (home) => {
    const { admin } = home.running
    const off = { settings: { allow_unlock: 'off' } }
    const ends = [
      [({ link }: TestIntegration) => admin.call('DELETE', `/keys/${link}`), null],
      [({ id }: TestIntegration) => admin.call('PATCH', `/integrations/${id}`, off), off],
      [({ id }: TestIntegration) => admin.call('PATCH', `/integrations/${id}`, { enabled: false }), { enabled: false }],
      [({ id }: TestIntegration) => admin.call('DELETE', `/integrations/${id}`), null],
    ] as const
    for (const [end, preview] of casesOf<(typeof ends)[number]>(ends, 3)) {
      const who = await home.integrate({ settings: { allow_unlock: 'on' } })
      const scenes = new RuleCalls(home, 'scene', who)
      const opens = { steps: [{ device: home.id('driveway-gate', who), op: 'open' }] }
      const lapsing = await scenes.create({ name: 'Movie night', ...opens })
      await scenes.create({ name: 'Lights', steps: [light(home, who)] })
      const taken = await scenes.create({ name: 'Taken over', ...opens })
      const others = new RuleCalls(home, 'scene')
      const gate = [{ device: home.id('driveway-gate'), op: 'open' }]
      await others.edit(others.mine(taken.id), { steps: gate, ifRevision: 1 })
      const previewLoss = () => admin.call('POST', `/integrations/${who.id}/preview`, preview ?? off)
      expect(await previewLoss()).toMatchObject({ scenesRefused: ['Movie night'] })
      expect(await end(who)).toMatchObject({ scenesRefused: ['Movie night'] })
      const path = `/v1/scenes/${encodeURIComponent(others.mine(lapsing.id))}/run`
      expect(statusAndCode(await home.call({ method: 'POST', path }))).toEqual([403, 'unlock_not_allowed'])
      if (preview !== null) expect(await previewLoss()).not.toHaveProperty('scenesRefused')
    }
  },
)

verifies(
  'automations.switched-off',
  'without allow_unlock an integration may rename and switch off an opening rule, but not change it or switch it on',
  async (home) => {
    const local = await opener(home, home.main, 'Opens', [{ device: home.id('driveway-gate'), op: 'open' }])
    const restricted = await home.integrate({ settings: { allow_unlock: 'off', automations: 'on' } })
    const calls = new RuleCalls(home, 'automation', restricted)
    const id = home.id(local, restricted)
    const whole = await calls.get(id)
    for (const edit of [{ mode: 'restart' }, { name: 'Opens too', mode: 'restart' }, { ...whole, if: [{ days: [1] }] }])
      expect(await calls.send('PATCH', id, { ...edit, ifRevision: 1 })).toMatchObject({
        status: 403,
        body: { error: { code: 'unlock_not_allowed' } },
      })
    expect(await calls.edit(id, { ...whole, ifRevision: 1 })).toMatchObject({ enabled: true, revision: 1 })
    expect(await calls.edit(id, { name: 'Renamed', ifRevision: 1 })).toMatchObject({ name: 'Renamed' })
    expect(await calls.edit(id, { ...whole, revision: 2, enabled: false, ifRevision: 2 })).toMatchObject({
      enabled: false,
      revision: 3,
    })
    expect(await calls.send('PATCH', id, { enabled: true, ifRevision: 3 })).toMatchObject({ status: 403 })
    const author = home.running.gateway.home.rules.automations.get(local.split(':').at(-1)!)?.author
    expect(author).toEqual({ integration: home.main.id, link: home.main.link })
    expect(
      await new RuleCalls(home, 'automation').edit(home.id(local), { enabled: true, ifRevision: 3 }),
    ).toMatchObject({
      enabled: true,
    })
  },
)

verifies(
  'automations.openers-warned',
  'the import of a house warns of rules whose author may not open',
  async (home) => {
    const { admin } = home.running
    const who = await home.integrate({ settings: { allow_unlock: 'off', automations: 'on' } })
    const scenes = new RuleCalls(home, 'scene')
    const scene = await scenes.create({ name: `Gains ${home.transport}`, steps: [light(home)] })
    const local = await opener(home, who, 'Runs it', [{ scene: new RuleCalls(home, 'scene', who).mine(scene.id) }])
    const { file } = await admin.call<{ file: string }>('GET', '/house/file')
    const read = async (text: string): Promise<readonly string[]> =>
      (await admin.call<{ warnings: string[] }>('PUT', '/house/file', { file: text, check: true })).warnings.filter(
        (warning) => warning.includes(local.split(':').at(-1) ?? ''),
      )
    expect(await read(file)).toEqual([])
    await scenes.edit(scene.id, { ifRevision: 1, steps: [{ device: home.id('driveway-gate'), op: 'open' }] })
    const gained = await admin.call<{ file: string }>('GET', '/house/file')
    expect(await read(gained.file)).toEqual([
      `The automation Runs it (${local.split(':').at(-1)}) does not open Driveway gate: the integration behind it may not open (allow_unlock is off).`,
    ])
  },
)

verifies(
  'automations.import',
  'importing an unchanged export keeps origin and revision of scenes and rules, and writes no activity',
  async (home) => {
    const { admin } = home.running
    const scenes = new RuleCalls(home, 'scene')
    const { id } = await scenes.create({ name: `Kept ${home.transport}`, steps: [light(home)] })
    await scenes.edit(id, { ifRevision: 1, name: `Kept again ${home.transport}` })
    const rule = await opener(home, home.main, 'Kept', [{ scene: id }])
    const rules = new RuleCalls(home, 'automation')
    const activity = async (): Promise<unknown> =>
      ((await home.get('/v1/activity')) as { entries: { what: string }[] }).entries.filter(
        ({ what }) => what.includes('import') || what === 'edited',
      )
    const read = async (): Promise<unknown> => [await scenes.get(id), await rules.get(home.id(rule)), await activity()]
    const before = await read()
    const { file } = await admin.call<{ file: string }>('GET', '/house/file')
    await admin.call('PUT', '/house/file', { file })
    expect(await read()).toEqual(before)
    expect(before).toMatchObject([{ origin: { integration: home.main.id, link: home.main.link }, revision: 2 }, {}, {}])
  },
)

verifies(
  'automations.openers-start',
  'a start switches off the opening rules whose author has lost the permission, and no others',
  async (home) => {
    const { gateway } = home.running
    const who = await home.integrate({ settings: { allow_unlock: 'on', automations: 'on' } })
    const gate = { device: home.id('driveway-gate', who), op: 'open' }
    const scenes = new RuleCalls(home, 'scene')
    const scene = await scenes.create({ name: `Gains ${home.transport}`, steps: [light(home)] })
    const runsIt = [{ scene: new RuleCalls(home, 'scene', who).mine(scene.id) }]
    const rules = await Promise.all([[gate], runsIt, [light(home, who)]].map((then) => opener(home, who, 'Left', then)))
    await scenes.edit(scene.id, { ifRevision: 1, steps: [{ device: home.id('driveway-gate'), op: 'open' }] })
    const ids = rules.map((local) => local.split(':').at(-1)!)
    const { integrations, core } = gateway.stores
    const enabled = () => ids.map((id) => gateway.home.rules.automations.get(id)?.enabled)
    const stored = integrations.get(who.id)!
    const log = recordingLog()
    const start = (): boolean => gateway.home.rules.openers.switchOffLapsed(core, log)

    start()
    expect(enabled()).toEqual([true, true, true])
    // A restored or repaired configuration may contain such a change.
    core.change(() => integrations.update({ ...stored, knobs: { ...stored.knobs, allow_unlock: 'off' } }))
    start()
    expect(enabled()).toEqual([false, true, true])
    core.change(() => integrations.update({ ...stored, enabled: false }))
    start()
    expect(enabled()).toEqual([false, false, true])
    expect(log.lines).toMatchObject([
      { level: 'warn', fields: { rules: ['Left'] } },
      { level: 'warn', fields: { rules: ['Left'] } },
    ])
    const { entries } = (await home.get('/v1/activity')) as { entries: { device: string | null }[] }
    expect(entries.find(({ device }) => device === home.id(rules[0]!))).toMatchObject({
      kind: 'edited',
      what: 'turned off: its author no longer has the permission that it needs',
      cause: { source: 'gateway', name: 'gateway' },
    })
  },
)
