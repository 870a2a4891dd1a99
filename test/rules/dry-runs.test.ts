import { describe, expect } from 'vitest'
import { ERRORS } from '../../src/wire/errors.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { power, RuleCalls, type RuleObjectKind, type RuleObject } from '#support/gateway/rule-calls.ts'

const verifies = verifiesOver('http')

interface Tried {
  readonly refused: { readonly code: string; readonly message: string } | null
  readonly because?: string | null
  readonly if?: readonly { readonly condition: object; readonly value: unknown; readonly holds: boolean }[]
  readonly steps: readonly {
    readonly step: object
    readonly after: number
    readonly refused: { readonly code: string; readonly message: string; readonly retryAfter?: number } | null
    readonly steps?: readonly object[]
  }[]
  readonly nextRuns?: readonly number[]
  readonly nextRunsIf?: string | null
}

function send(home: TestHome, kind: RuleObjectKind, rest: string, body?: object, who = home.main): Promise<RawAnswer> {
  const path = `/v1/${kind}s${rest}`
  return home.call({ method: 'POST', path, token: who.token, ...(body === undefined ? {} : { body }) })
}

async function tried(home: TestHome, kind: RuleObjectKind, what: object | string, who = home.main): Promise<Tried> {
  const stored = typeof what === 'string'
  const answer = await send(
    home,
    kind,
    stored ? `/${encodeURIComponent(what)}/try` : '/try',
    stored ? undefined : what,
    who,
  )
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  return answer.body as Tried
}

const gate = (home: TestHome, who: TestIntegration = home.main) => ({
  device: home.id('driveway-gate', who),
  op: 'open',
})
const codes = ({ steps }: Tried): (string | null)[] => steps.map(({ refused }) => refused?.code ?? null)

/** Everything that a dry run must not change. */
async function traces(home: TestHome): Promise<object> {
  const lists = await Promise.all(['scenes', 'automations', 'schedules'].map((kind) => home.get(`/v1/${kind}`)))
  const activity = await home.get('/v1/activity')
  const { sim, gateway } = home.running
  const commands = [...sim.counters.units.values()].reduce((sum, unit) => sum + unit.commands, 0)
  const { confirmations } = await home.running.admin.call<{ confirmations: unknown }>('GET', '/confirmations')
  return { lists, entries: activity['entries'], commands, confirmations, rules: gateway.home.rules.timed.upcoming() }
}

describe('a dry run', () => {
  verifies(
    'automations.dry-run',
    'of a draft returns steps, conditions and next runs, and leaves no trace',
    { tags: ['long'] },
    async (home) => {
      const before = await traces(home)
      const study = power(home, 'study-light', true)
      const scene = await tried(home, 'scene', {
        name: 'Evening',
        steps: [study, { delay: 90 }, { device: home.id('living-curtain'), op: 'close', args: {} }],
      })
      expect(scene).toMatchObject({
        refused: null,
        steps: [
          { step: study, after: 0, refused: null },
          { step: { delay: 90 }, after: 0, refused: null },
          { step: { device: home.id('living-curtain'), op: 'close' }, after: 90, refused: null },
        ],
      })
      const automation = await tried(home, 'automation', {
        name: 'Dusk',
        when: [{ time: '07:00' }, { device: home.id('landing-sensor'), detection: 'motion' }],
        if: [{ device: home.id('front-door'), state: 'locked', is: false }, { after: '00:00' }],
        then: [{ delay: 1 }, { scene: home.id('scene:dinner') }, study],
      })
      expect(automation).toMatchObject({
        refused: null,
        because: 'This condition is not met right now: Front door: lock is unlocked.',
        if: [
          { condition: { device: home.id('front-door'), state: 'locked', is: false }, value: true, holds: false },
          { condition: { after: '00:00' }, value: null, holds: true },
        ],
        steps: [
          { after: 0 },
          { after: 1, refused: null, steps: [{ after: 1, refused: null }, {}, {}] },
          { step: study, after: 1 },
        ],
      })
      const schedule = await tried(home, 'schedule', { name: 'Up', at: { time: '07:00' }, days: [1], then: [study] })
      expect(schedule.nextRuns).toHaveLength(10)
      for (const at of [...automation.nextRuns!, ...schedule.nextRuns!])
        expect(new Date(at).toLocaleTimeString('de', { timeZone: 'Europe/Berlin' })).toBe('07:00:00')
      const off = await tried(home, 'schedule', { name: 'Up', enabled: false, at: { time: '07:00' }, then: [study] })
      expect(off.nextRuns).toEqual([])
      expect(automation.nextRunsIf).toBe('Front door: lock is unlocked and after 00:00')
      expect([schedule.nextRunsIf, off.nextRunsIf]).toEqual([null, null])
      expect(await traces(home)).toEqual(before)
    },
  )

  verifies('automations.dry-run', 'of a stored rule predicts its run now', async (home) => {
    const study = power(home, 'study-light', true)
    const automations = new RuleCalls(home, 'automation')
    const rule = await automations.create({ name: 'Daily', enabled: false, when: [{ time: '07:00' }], then: [study] })
    expect(await tried(home, 'automation', rule.id)).toMatchObject({
      refused: null,
      because: 'It is turned off.',
      nextRuns: [],
    })
    await automations.edit(rule.id, { ifRevision: 1, enabled: true })
    const live = await tried(home, 'automation', rule.id)
    expect(live).toMatchObject({ because: null, steps: [{ step: study, after: 0, refused: null }] })
    expect(live.nextRuns).toHaveLength(10)
    const schedules = new RuleCalls(home, 'schedule')
    const schedule = await schedules.create({
      name: 'Up',
      at: { sun: 'sunset', offset: -30 },
      then: [{ scene: home.id('scene:dinner') }],
    })
    const { nextRuns, steps } = await tried(home, 'schedule', schedule.id)
    expect(nextRuns?.[0]).toBe(schedule.next)
    expect(steps[0]?.steps).toHaveLength(3)
    expect(await tried(home, 'scene', home.id('scene:leaving-home'))).toMatchObject({ refused: null })
    await automations.edit(rule.id, { ifRevision: 2, enabled: false })
    await schedules.edit(schedule.id, { ifRevision: 1, enabled: false })
  })

  verifies('automations.dry-run', 'says of a repetition without success that nothing refuses it', async (home) => {
    const until = [{ device: home.id('front-door'), state: 'locked', is: false }]
    const repeat = { repeat: [{ delay: 1 }], every: 60, until, times: 3 }
    const { steps } = await tried(home, 'automation', { name: 'R', when: [{ time: '07:00' }], then: [repeat] })
    expect(steps[0]).toMatchObject({
      rounds: 3,
      refused: { message: expect.stringMatching(/^Nothing refuses this step/) },
    })
  })

  verifies(
    'automations.dry-run',
    'marks steps that open without permission, and the refusal of the whole',
    async (home) => {
      const study = power(home, 'study-light', true)
      const before = await traces(home)
      const draft = { name: 'Opens', steps: [study, gate(home)] }
      // Over MCP the caller is an agent, which may save nothing that opens.
      const isAgent = home.transport === 'mcp'
      expect(codes(await tried(home, 'scene', draft))).toEqual([null, isAgent ? 'unlock_not_allowed' : null])
      const careful = await home.integrate({ settings: { automations: 'on', schedules: 'on', allow_unlock: 'off' } })
      const theirs = { name: 'Opens', steps: [power(home, 'study-light', true, careful), gate(home, careful)] }
      const refused = await tried(home, 'scene', theirs, careful)
      expect(codes(refused)).toEqual([null, 'unlock_not_allowed'])
      expect({ error: refused.refused }).toEqual((await send(home, 'scene', '', theirs, careful)).body)
      const rule = { name: 'Opens', at: { time: '07:00' }, then: [gate(home, careful)] }
      const saved = await tried(home, 'schedule', rule, careful)
      expect({ error: saved.refused }).toEqual((await send(home, 'schedule', '', rule, careful)).body)
      expect(saved.steps[0]?.refused).toEqual(saved.refused)
      expect(await traces(home)).toEqual(before)
    },
  )

  verifies('automations.dry-run-draft', 'refuses drafts exactly as creating them does', async (home) => {
    const study = power(home, 'study-light', true)
    const hidden = await home.integrate({
      expose: ['unit:guest-light'],
      settings: { automations: 'on', schedules: 'on', allow_unlock: 'on' },
    })
    const off = await home.integrate({})
    const seen = power(home, 'guest-light', true, hidden)
    const drafts: readonly [RuleObjectKind, TestIntegration, object][] = [
      ['scene', hidden, { name: 'X', steps: [seen, power(home, 'study-light', true, hidden)] }],
      ['scene', hidden, { name: 'X', roomId: home.id('room:study', hidden) }],
      ['scene', home.main, { name: 'X', steps: [{ device: home.id('study-light'), op: 'open' }] }],
      [
        'automation',
        hidden,
        { name: 'X', when: [{ device: home.id('front-door', hidden), state: 'locked', is: true }], then: [seen] },
      ],
      [
        'automation',
        hidden,
        { name: 'X', when: [{ time: '07:00' }], then: [{ scene: home.id('scene:dinner', hidden) }] },
      ],
      [
        'automation',
        home.main,
        { name: 'X', when: [{ device: home.id('study-light'), state: 'pos', above: 1 }], then: [study] },
      ],
      ['automation', home.main, { when: [{ time: '07:00' }], then: [study] }],
      ['automation', off, { name: 'X', when: [{ time: '07:00' }], then: [study] }],
      ['schedule', hidden, { name: 'X', at: { time: '07:00' }, then: [power(home, 'study-light', true, hidden)] }],
      ['schedule', home.main, { name: 'X', at: { time: '7' }, then: [study] }],
      ['schedule', off, { name: 'X', at: { time: '07:00' }, then: [study] }],
    ]
    for (const [kind, who, draft] of drafts) {
      const [saved, dry] = [await send(home, kind, '', draft, who), await send(home, kind, '/try', draft, who)]
      expect([dry.status, dry.text], JSON.stringify(draft)).toEqual([saved.status, saved.text])
      expect(saved.status).toBeGreaterThanOrEqual(400)
    }
  })

  verifies('automations.dry-run', 'of a scene with hidden parts returns the visible ones', async (home) => {
    const scenes = new RuleCalls(home, 'scene')
    const made: RuleObject = await scenes.create({
      name: 'Shared',
      steps: [power(home, 'study-light', true), { delay: 3 }, power(home, 'guest-light', false)],
    })
    const local = made.id.split(':').slice(2).join(':')
    const some = await home.integrate({ expose: ['unit:guest-light', local], settings: { automations: 'on' } })
    const id = home.id(local, some)
    const steps = [
      { step: { delay: 3 }, after: 0, refused: null },
      { step: power(home, 'guest-light', false, some), after: 3, refused: null },
    ]
    expect(await tried(home, 'scene', id, some)).toMatchObject({ refused: null, steps })
    const rule = { name: 'X', when: [{ time: '07:00' }], then: [{ scene: id }] }
    expect((await tried(home, 'automation', rule, some)).steps).toEqual([
      { step: { scene: id }, after: 0, refused: null, steps },
    ])
  })

  verifies(
    ['automations.dry-run', 'automations.dry-run-true'],
    'asks no person, and knows existing confirmations',
    async (home) => {
      const { admin } = home.running
      const { id } = await home.integrate({ settings: { agent_access: 'on', allow_unlock: 'on' } })
      const made = { integration: id, name: 'Claude', platform: 'Desk', session: false }
      const agent = { id, ...(await admin.call<{ token: string; link: string }>('POST', '/agents', made)) }
      const key = { id, ...(await admin.call<{ token: string; link: string }>('POST', '/keys', { integration: id })) }
      const opens = { name: 'Opens', steps: [gate(home, key), power(home, 'study-light', true, key)] }
      const { body } = await home.call({ method: 'POST', path: '/v1/scenes', body: opens, token: key.token })
      const scene = (body as { scene: { id: string } }).scene.id
      const before = await traces(home)
      expect(codes(await tried(home, 'scene', scene, agent))).toEqual(['confirmation_required', null])
      expect(await traces(home)).toEqual(before)
      const run = await send(home, 'scene', `/${encodeURIComponent(scene)}/run`, undefined, agent)
      // A waiting confirmation is reported as for the run itself.
      expect({ error: (await tried(home, 'scene', scene, agent)).refused }).toEqual(run.body)
      const { confirmations } = await admin.call<{ confirmations: { id: string; link: string }[] }>(
        'GET',
        '/confirmations',
      )
      const { id: confirmation } = confirmations.find(({ link }) => link === agent.link)!
      await admin.call('POST', `/confirmations/${confirmation}`, { confirm: true })
      for (let turn = 0; turn < 2; turn++)
        expect(await tried(home, 'scene', scene, agent)).toMatchObject({
          refused: null,
          steps: [{ refused: null }, {}],
        })
      // A revoked key no longer counts as its scene's author: the scene has lost its permission for every caller.
      await admin.call('DELETE', `/keys/${key.link}`)
      const lapsed = await tried(home, 'scene', home.id(scene.split(':').slice(2).join(':')))
      expect([lapsed.refused?.code, ...codes(lapsed)]).toEqual(['unlock_not_allowed', 'unlock_not_allowed', null])
      expect(lapsed.refused).not.toHaveProperty('appAction')
    },
  )

  verifies(
    ['automations.dry-run', 'automations.leave'],
    'leaves out steps that its author may no longer open, and gives the reason only to that author',
    { tags: ['long'] },
    async (home) => {
      const careful = await home.integrate({ settings: { automations: 'on', allow_unlock: 'off' } })
      const scenes = new RuleCalls(home, 'scene')
      const scene = await scenes.create({ name: 'Harmless', steps: [power(home, 'study-light', true)] })
      const theirs = new RuleCalls(home, 'automation', careful)
      const then = [{ scene: scenes.as(careful).mine(scene.id) }]
      const rule = await theirs.create({ name: 'Theirs', enabled: false, when: [{ time: '07:00' }], then })
      await scenes.edit(scene.id, { ifRevision: 1, steps: [gate(home), power(home, 'study-light', true)] })
      const toldTo = async (who: TestIntegration): Promise<unknown> => {
        const { refused, steps } = await tried(home, 'automation', theirs.as(who).mine(rule.id), who)
        const [opens, lamp] = (steps[0]?.steps ?? []) as Tried['steps']
        expect([refused, steps[0]?.refused, lamp?.refused, opens?.refused?.code]).toEqual([
          null,
          null,
          null,
          'unlock_not_allowed',
        ])
        return opens?.refused?.message
      }
      expect(await toldTo(careful)).toBe(ERRORS.unlock_not_allowed.message)
      expect(await toldTo(home.main)).toBe(
        'The step opens a lock or gate, and a cause of this run has no permission to open it.',
      )
    },
  )

  verifies(
    'automations.dry-run',
    'reports that the adapter is not ready, as a run does',
    { tags: ['long'] },
    async (home) => {
      const { bus, events } = home.running.gateway.home
      const linkEvent = (isDown: boolean): Promise<void> =>
        new Promise((resolve) => {
          const stop = events.on((event) => {
            if (event.kind !== 'link' || (event.down !== null) !== isDown) return
            stop()
            resolve()
          })
        })
      const down = linkEvent(true)
      home.running.sim.unplug()
      await home.running.hasten(down)
      const scene = home.id('scene:dinner')
      const dry = await tried(home, 'scene', scene)
      expect([dry.refused?.code, ...codes(dry)]).toEqual(Array.from({ length: 4 }, () => 'hmhc_unavailable'))
      expect((await send(home, 'scene', `/${encodeURIComponent(scene)}/run`)).status).toBe(503)
      const up = linkEvent(false)
      home.running.sim.plug()
      if (bus.down !== null) await home.running.hasten(up)
    },
  )
})
