// @module-tag repeated
import { describe, expect } from 'vitest'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { power, RuleCalls, statusAndCode } from '#support/gateway/rule-calls.ts'
import { commandsOf } from '#support/gateway/await-home.ts'
import { passTime, SECOND } from '#support/homes/intent-house.ts'
import { casesOf } from '#support/long.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })

const GATE = 91
const MAY = { allow_unlock: 'on', automations: 'on', schedules: 'on' }

interface Entry {
  readonly device: string | null
  readonly kind: string
  readonly what: string
  readonly cause: { readonly source: string; readonly name: string }
}

const gate = (home: TestHome, who: TestIntegration = home.main) => ({
  device: home.id('driveway-gate', who),
  op: 'open',
})

/** Number of commands to the gate during `act` and afterwards. */
async function toldGate(home: TestHome, act: () => Promise<unknown>, ms = 2 * SECOND): Promise<number> {
  const before = commandsOf(home, GATE)
  await act()
  await passTime(home, clock, ms)
  return commandsOf(home, GATE) - before
}

async function refusals(home: TestHome, who: TestIntegration = home.main): Promise<readonly Entry[]> {
  const { body } = await home.call({
    method: 'GET',
    path: '/v1/activity',
    query: { limit: '200' },
    token: who.token,
  })
  return (body as { entries: Entry[] }).entries.filter(
    ({ device, kind }) => kind === 'refused' && device === home.id('driveway-gate', who),
  )
}

async function switchLamp(home: TestHome): Promise<void> {
  for (const on of [false, true]) {
    const body = { op: 'set_power', args: { on } }
    await clock.hasten(home.call({ method: 'POST', path: home.at('guest-light', '/control'), body }))
  }
}

const onLamp = (home: TestHome, who: TestIntegration) => [
  { device: home.id('guest-light', who), state: 'on', is: true },
]

const agentOf = (home: TestHome, { id }: TestIntegration): Promise<TestIntegration> =>
  home.running.admin
    .call<{ token: string; link: string }>('POST', '/agents', {
      integration: id,
      name: 'Claude',
      platform: 'Desk',
      session: false,
    })
    .then(({ token, link }) => ({ id, token, link }))

const keyOf = (home: TestHome, { id }: TestIntegration): Promise<TestIntegration> =>
  home.running.admin
    .call<{ token: string; link: string }>('POST', '/keys', { integration: id })
    .then(({ token, link }) => ({ id, token, link }))

async function run(home: TestHome, scene: string, who: TestIntegration): Promise<[number, string | undefined]> {
  const path = `/v1/scenes/${encodeURIComponent(new RuleCalls(home, 'scene', who).mine(scene))}/run`
  return statusAndCode(await clock.hasten(home.call({ method: 'POST', path, token: who.token })))
}

describe('permission to open', () => {
  verifies(
    'automations.leave',
    'a scene that later gains a gate does not open it for an automation whose author may not open',
    async (home) => {
      const { main } = home
      const careful = await home.integrate({ settings: { ...MAY, allow_unlock: 'off' } })
      const agent = await agentOf(home, await home.integrate({ settings: { ...MAY, agent_access: 'on' } }))
      const allowed = await home.integrate({ settings: MAY })
      for (const [who, opens, what] of [
        [careful, 0, 'open refused: the integration behind it may not open (allow_unlock is off)'],
        [agent, 0, 'open refused: an agent is behind it, and no administrator confirmed this opening'],
        [allowed, 1, null],
      ] as const) {
        const scenes = new RuleCalls(home, 'scene', main)
        const scene = await scenes.create({ name: 'Harmless', steps: [power(home, 'study-light', true)] })
        const rules = new RuleCalls(home, 'automation', who)
        const rule = await rules.create({
          name: 'Theirs',
          when: onLamp(home, who),
          then: [{ scene: new RuleCalls(home, 'scene', who).mine(scene.id) }],
        })
        expect(await toldGate(home, () => switchLamp(home))).toBe(0)
        await scenes.edit(scene.id, { ifRevision: 1, steps: [gate(home), power(home, 'study-light', false)] })
        const before = (await refusals(home, who)).length
        expect(await toldGate(home, () => switchLamp(home))).toBe(opens)
        // The rest of the scene is performed.
        expect(await home.get(home.at('study-light'))).toMatchObject({ device: { state: { on: false } } })
        const refused = await refusals(home, who)
        expect(refused.length - before).toBe(1 - opens)
        if (what !== null) {
          expect(refused[0]).toMatchObject({
            what,
            cause: { source: 'scene', by: { source: 'automation', name: 'Theirs' } },
          })
          // The reason of another integration stays hidden.
          expect((await refusals(home, main))[0]?.what).toBe('open refused: no permission to open')
        }
        const mine = new RuleCalls(home, 'automation', main)
        await mine.edit(mine.mine(rule.id), { ifRevision: 1, enabled: false })
      }
    },
  )

  verifies('automations.leave', 'steps saved by a revoked key do not open, regardless of the caller', async (home) => {
    const { main } = home
    const owner = await home.integrate({ settings: MAY })
    const scenes = new RuleCalls(home, 'scene', owner)
    const scene = await scenes.create({ name: 'Stolen', steps: [gate(home, owner)] })
    const rule = await new RuleCalls(home, 'automation', main).create({
      name: 'Daily',
      when: onLamp(home, main),
      then: [{ scene: new RuleCalls(home, 'scene', main).mine(scene.id) }],
    })
    expect(await toldGate(home, () => switchLamp(home))).toBe(1)
    expect(await toldGate(home, () => run(home, scene.id, main))).toBe(1)
    const spare = await keyOf(home, owner)
    await home.running.admin.call('DELETE', `/keys/${owner.link}`)
    expect(await toldGate(home, () => switchLamp(home))).toBe(0)
    expect((await refusals(home, spare))[0]?.what).toBe('open refused: the credential behind it has ended')
    expect(await toldGate(home, () => run(home, scene.id, main))).toBe(0)
    expect(await run(home, scene.id, main)).toEqual([403, 'unlock_not_allowed'])
    // A caller with permission who saves the steps again becomes their author.
    const mine = new RuleCalls(home, 'scene', main)
    const { revision, steps } = await mine.get(mine.mine(scene.id))
    await mine.edit(mine.mine(scene.id), { ifRevision: revision, steps })
    expect(await toldGate(home, () => switchLamp(home))).toBe(1)
    await new RuleCalls(home, 'automation', main).edit(rule.id, { ifRevision: 1, enabled: false })
  })

  verifies(
    'automations.leave-kept',
    'a change of the action changes the author; a new name or disabling does not',
    async (home) => {
      const first = await home.integrate({ settings: MAY })
      const second = await home.integrate({ settings: MAY })
      const theirs = new RuleCalls(home, 'automation', first)
      const rule = await theirs.create({ name: 'Opens', when: onLamp(home, first), then: [gate(home, first)] })
      const others = theirs.as(second)
      const id = others.mine(rule.id)
      const origin = rule.origin
      await others.edit(id, { ifRevision: 1, name: 'Renamed' })
      await others.edit(id, { ifRevision: 2, enabled: false })
      expect(await others.edit(id, { ifRevision: 3, enabled: true })).toMatchObject({ origin })
      await home.change(first, { enabled: false })
      expect(await toldGate(home, () => switchLamp(home))).toBe(1)
      await others.edit(id, { ifRevision: 4, name: 'Again' })
      await home.change(second, { settings: { allow_unlock: 'off' } })
      expect((await others.get(id)).enabled).toBe(false)
    },
  )

  verifies(
    'automations.leave-asked',
    'a waiting run opens nothing after its key, its integration or its permission has ended',
    async (home) => {
      const scene = await new RuleCalls(home, 'scene').create({
        name: 'Waits',
        steps: [{ delay: 90 }, gate(home), power(home, 'study-light', true)],
      })
      const { admin } = home.running
      const ends = [
        [null, null],
        [({ link }: TestIntegration) => admin.call('DELETE', `/keys/${link}`), 'credential'],
        [({ id }: TestIntegration) => admin.call('PATCH', `/integrations/${id}`, { enabled: false }), 'disabled'],
        [
          ({ id }: TestIntegration) =>
            admin.call('PATCH', `/integrations/${id}`, { settings: { allow_unlock: 'off' } }),
          'off',
        ],
        [({ id }: TestIntegration) => admin.call('DELETE', `/integrations/${id}`), 'deleted'],
      ] as const
      for (const [end, reason] of casesOf<(typeof ends)[number]>(ends, 2)) {
        const who = await home.integrate({ settings: MAY })
        expect((await run(home, scene.id, who))[0]).toBe(200)
        const before = (await refusals(home)).length
        const openings = await toldGate(
          home,
          async () => {
            await passTime(home, clock, 30 * SECOND)
            await end?.(who)
          },
          90 * SECOND,
        )
        expect(openings, reason ?? 'nothing').toBe(end === null ? 1 : 0)
        expect((await refusals(home)).length - before).toBe(end === null ? 0 : 1)
      }
    },
  )
})
