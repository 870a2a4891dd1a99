import { describe, expect } from 'vitest'
import { awaitState, commandsOf } from '#support/gateway/await-home.ts'
import { type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'
import { RuleCalls, type RuleObject, statusAndCode } from '#support/gateway/rule-calls.ts'

const RULES_ON = { automations: 'on', schedules: 'on' } as const
const GATE = 91
const NEVER = [{ time: '03:00' }]
const OFF = { op: 'set_power', args: { on: false } }

/** A named group of the main integration. */
async function named(home: TestHome, locals: readonly string[]): Promise<{ id: string; local: string }> {
  const members = locals.map((local) => home.id(local))
  const made = await home.call({ method: 'POST', path: '/v1/groups', body: { name: 'Reading lights', members } })
  expect(made.status, made.text).toBe(201)
  const { id } = (made.body as { group: { id: string } }).group
  return { id, local: id.split(':').slice(2).join(':') }
}

const rulesOf = (home: TestHome, who?: TestIntegration): RuleCalls => new RuleCalls(home, 'automation', who)

interface Trial {
  readonly if: readonly { readonly holds: boolean; readonly leaves: readonly { readonly condition: object }[] }[]
  readonly steps: readonly {
    readonly step: object
    readonly steps?: readonly { readonly step: { device: string } }[]
  }[]
}

describe('groups in rules', () => {
  verifies('automations.groups', 'are named by a word or an id, in a room or on a floor', async (home) => {
    const rules = rulesOf(home)
    const { id: group } = await named(home, ['study-light', 'living-lamp'])
    const [room, floor] = [home.id('room:kitchen'), home.id('floor:ground-floor')]
    const draft = {
      name: 'Groups',
      when: [
        { group: 'any', reachable: false, for: 600 },
        { group, state: 'on', is: true, by: 'touch' },
        { group: 'cover', floor, state: 'pos', above: 50 },
      ],
      if: [{ not: { group: 'light', room, state: 'on', is: true, within: 600, of: 'all' } }],
      then: [
        { group, op: 'toggle' },
        {
          if: [{ group: 'any', detection: 'motion', within: 60, of: 'any' }],
          then: [{ group: 'light', room, ...OFF }],
        },
        { group: 'cover', op: 'set_position', args: { by: -10 } },
      ],
    }
    const made = await rules.create(draft)
    expect(made).toMatchObject(draft)
    expect(await rules.get(made.id)).toEqual(made)
  })

  verifies(
    ['automations.group-opens-nothing', 'devices.groups'],
    'open nothing for a caller who changes a group and may not open',
    async (home) => {
      const { local } = await named(home, ['study-light'])
      const opening = rulesOf(home, await home.integrate({ settings: { ...RULES_ON, allow_unlock: 'on' } }))
      const gate = { device: home.id('driveway-gate', opening.who), op: 'open' }
      const lit = { group: home.id(local, opening.who), state: 'on', is: true }
      const { id } = await opening.create({ name: local, when: [lit], then: [gate] })
      const careful = await home.integrate({ settings: { allow_unlock: 'off' } })
      const allowed = await home.integrate({ settings: { allow_unlock: 'on' } })
      /** Kinds of the gate's entries by the rule. */
      const outcomes = async (): Promise<readonly string[]> => {
        const path = `/v1/activity?device=${encodeURIComponent(home.id('driveway-gate'))}`
        const { entries } = (await home.get(path)) as { entries: readonly { kind: string; cause: { name: string } }[] }
        return entries.filter(({ cause }) => cause.name === local).map(({ kind }) => kind)
      }
      for (const [ifRevision, who, light, opens] of [
        [1, careful, 'studio-light', 0],
        [2, allowed, 'living-lamp', 1],
      ] as const) {
        const path = `/v1/groups/${encodeURIComponent(home.id(local, who))}`
        const power = async (on: boolean): Promise<void> => {
          const body = { op: 'set_power', args: { on } }
          expect((await home.call({ method: 'POST', path: home.at(light, '/control'), body })).status).toBe(200)
        }
        await power(false)
        const edit = {
          method: 'PATCH',
          path,
          body: { ifRevision, members: [home.id(light, who)] },
          token: who.token,
        } as const
        expect((await home.call(edit)).status).toBe(200)
        const before = commandsOf(home, GATE)
        await power(true)
        if (opens === 0) await expect.poll(outcomes).toContain('refused')
        else await expect.poll(() => commandsOf(home, GATE) - before).toBe(opens)
        expect(commandsOf(home, GATE) - before).toBe(opens)
      }
      await opening.edit(id, { enabled: false, ifRevision: 1 })
    },
  )

  verifies(['automations.groups', 'automations.pointer'], 'are refused with their place', async (home) => {
    const rules = rulesOf(home)
    const [room, floor] = [home.id('room:kitchen'), home.id('floor:ground-floor')]
    const { id: group } = await named(home, ['study-light', 'living-lamp'])
    const lit = { state: 'on', is: true }
    for (const [body, at] of [
      [{ when: [{ group: 'light', room, floor, ...lit }] }, '/when/0'],
      [{ when: [{ group: 'light', state: 'on' }] }, '/when/0'],
      [{ when: [{ group: 'light', state: 'pos', above: 5 }] }, '/when/0/state'],
      [{ when: [{ group: 'cover', reading: 'battery', below: 5 }] }, '/when/0/reading'],
      [{ when: [{ group: 'light', touch: 'up' }] }, '/when/0'],
      [{ if: [{ group: 'light', ...lit }] }, '/if/0/of'],
      [{ if: [{ group: 'light', state: 'bri', above: 300, of: 'any' }] }, '/if/0/above'],
      [{ if: [{ group, state: 'pos', above: 5, of: 'any' }] }, '/if/0/state'],
      [{ then: [{ group: 'light', op: 'open' }] }, '/then/0/op'],
      [{ then: [{ group, op: 'open' }] }, '/then/0/op'],
      [{ then: [{ group: 'light', op: 'fly' }] }, '/then/0/op'],
      [{ then: [{ group: 'light', op: 'set_power', args: { on: 'yes' } }] }, '/then/0/args/on'],
      [{ then: [{ group: 'light', op: 'set_power' }] }, '/then/0/args'],
      [{ then: [{ group: 'any', ...OFF }] }, '/then/0/group'],
      [{ then: [{ repeat: [{ group: 'cover', ...OFF }], every: 5, times: 2 }] }, '/then/0/repeat/0/op'],
    ] as const) {
      const answer = await rules.send('POST', undefined, { name: 'Never', when: NEVER, then: [{ delay: 1 }], ...body })
      expect([at, ...statusAndCode(answer)], answer.text).toEqual([at, 422, 'validation'])
      expect((answer.body as { error: { at: string } }).error.at, answer.text).toBe(at)
    }
    const unknown = await rules.send('POST', undefined, { name: 'X', when: NEVER, then: [{ group: 'lights', ...OFF }] })
    expect([...statusAndCode(unknown), unknown.text]).toEqual([
      404,
      'not_found',
      // The refusal offers no `any`, which the step would not take.
      expect.stringContaining('light, cover, socket, climate, or an id'),
    ])
  })

  verifies('automations.groups-shown', 'show a rule where every device of them is exposed', async (home) => {
    const narrow = await home.integrate({ expose: ['room:study', 'unit:living-lamp'], settings: RULES_ON })
    const wide = await home.integrate({
      expose: ['room:study', 'room:kitchen', 'unit:living-lamp'],
      settings: RULES_ON,
    })
    const study = await rulesOf(home).create({
      name: 'Study',
      when: NEVER,
      then: [{ group: 'light', room: home.id('room:study'), ...OFF }],
    })
    const all = await rulesOf(home).create({ name: 'All', when: NEVER, then: [{ group: 'light', ...OFF }] })
    const theirs = await rulesOf(home, narrow).create({ name: 'Own', when: NEVER, then: [{ group: 'light', ...OFF }] })
    const namesFor = async (who: TestIntegration): Promise<string[]> =>
      (await rulesOf(home, who).list()).map(({ name }) => name).toSorted()
    expect(await namesFor(narrow)).toEqual(['Own', 'Study'])
    expect(await namesFor(wide)).toEqual(['Own', 'Study'])
    const own = await namesFor(home.main)
    expect(own.filter((name) => ['All', 'Own', 'Study'].includes(name))).toEqual(['All', 'Own', 'Study'])
    const hidden = await rulesOf(home, narrow).send('GET', rulesOf(home, narrow).mine(all.id))
    const invented = await rulesOf(home, narrow).send('GET', home.id('automation:invented', narrow))
    expect([hidden.status, hidden.text]).toEqual([404, invented.text])
    // The author sees one more room: its group has a device that others do not see.
    await home.change(narrow, { expose: ['room:study', 'unit:living-lamp', 'room:hall'] })
    expect(await namesFor(wide)).toEqual(['Study'])
    expect(await namesFor(narrow)).toEqual(['Own', 'Study'])
    for (const { id } of [study, all, theirs])
      await home.running.admin.call('DELETE', `/automations/${id.split(':').at(-1)}`)
  })

  verifies('automations.groups-tried', 'are listed device by device in a dry run', async (home) => {
    const { id: group } = await named(home, ['study-light', 'living-lamp'])
    const draft = {
      name: 'Tried',
      when: NEVER,
      if: [{ group, state: 'on', is: true, of: 'any' }],
      then: [
        { group, op: 'toggle' },
        { group: 'light', room: home.id('room:kitchen'), ...OFF },
      ],
    }
    const answer = await home.call({ method: 'POST', path: '/v1/automations/try', body: draft })
    expect(answer.status, answer.text).toBe(200)
    const trial = answer.body as Trial
    const devices = (index: number): string[] => trial.steps[index]!.steps!.map(({ step }) => step.device)
    expect(devices(0)).toEqual([home.id('living-lamp'), home.id('study-light')])
    expect(devices(1)).toEqual([home.id('kitchen-panel:0')])
    expect(trial.if[0]!.leaves.map(({ condition }) => condition)).toEqual(
      ['living-lamp', 'study-light'].map((local) => ({ device: home.id(local), state: 'on', is: true })),
    )
    const { id, revision } = await rulesOf(home).create(draft)
    const explained = await home.call({
      method: 'GET',
      path: home.at('kitchen-panel:0', '/explain'),
    })
    expect(explained.text).toContain('Automation Tried is set to turn off at 03:00')
    await rulesOf(home).edit(id, { enabled: false, ifRevision: revision })
  })

  verifies('automations.groups-deleted', 'keep their named group from being deleted', async (home) => {
    const { id: group } = await named(home, ['study-light'])
    const made: RuleObject = await rulesOf(home).create({ name: 'Used', when: NEVER, then: [{ group, op: 'toggle' }] })
    const remove = () =>
      home.call({ method: 'DELETE', path: `/v1/groups/${encodeURIComponent(group)}`, query: { ifRevision: '1' } })
    const refused = await remove()
    expect([...statusAndCode(refused), refused.text]).toEqual([
      422,
      'validation',
      expect.stringContaining('automation Used'),
    ])
    await rulesOf(home).edit(made.id, { then: [{ delay: 1 }], ifRevision: made.revision })
    expect((await remove()).status).toBe(200)
  })

  verifies('automations.groups-tried', 'move no lock, although their author may not open', async (home) => {
    const { id: group } = await named(home, ['front-door', 'living-shutter'])
    const careful = await home.integrate({ settings: { ...RULES_ON, allow_unlock: 'off' } })
    const mine = home.id(group.split(':').slice(2).join(':'), careful)
    const draft = { name: 'Open', when: NEVER, then: [{ group: mine, op: 'open' }] }
    const tried = await home.call({ method: 'POST', path: '/v1/automations/try', token: careful.token, body: draft })
    expect(tried.body, tried.text).toMatchObject({ refused: null })
    expect((tried.body as Trial).steps[0]!.steps!.map(({ step }) => step.device)).toEqual([
      home.id('living-shutter', careful),
    ])
  })
})

verifies('automations.groups-tried', 'a run of a group moves its devices', async (home) => {
  const turn = (local: string, on: boolean) =>
    home.call({
      method: 'POST',
      path: home.at(local, '/control'),
      body: { op: 'set_power', args: { on } },
    })
  await turn('guest-light', false)
  await turn('kitchen-panel:0', false)
  const made = await rulesOf(home).create({
    name: 'Kitchen on',
    when: [{ group: 'light', room: home.id('room:guest-room'), state: 'on', is: true }],
    then: [{ group: 'light', room: home.id('room:kitchen'), op: 'set_power', args: { on: true } }],
  })
  await turn('guest-light', true)
  await awaitState(home, 'kitchen-panel:0', ({ on }) => on === true)
  await rulesOf(home).edit(made.id, { enabled: false, ifRevision: made.revision })
  const { text } = await home.call({
    method: 'GET',
    path: home.at('kitchen-panel:0', '/explain'),
  })
  expect(text).toContain('automation Kitchen on')
})
