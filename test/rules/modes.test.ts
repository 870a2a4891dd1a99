import { describe, expect } from 'vitest'
import { commandsOf } from '#support/gateway/await-home.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { power, RuleCalls, statusAndCode } from '#support/gateway/rule-calls.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { passTime, SECOND } from '#support/homes/intent-house.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }))

const GATE = 91
const MAY = { allow_unlock: 'on', automations: 'on', schedules: 'on' }

async function setMode(home: TestHome, mode: string, who: TestIntegration = home.main): Promise<void> {
  const answer = await clock.hasten(home.call({ method: 'PUT', path: '/v1/mode', body: { mode }, token: who.token }))
  expect(answer.status, answer.text).toBe(200)
  await passTime(home, clock, SECOND)
}

describe('rules about the mode', () => {
  verifies('automations.mode', 'a rule starts with a mode, asks for one and sets one', async (home) => {
    await setMode(home, 'home')
    const automations = new RuleCalls(home, 'automation')
    const made = await automations.create({
      name: 'Leaving',
      when: [{ mode: 'away' }],
      if: [{ not: { mode: ['night', 'guest'] } }],
      then: [power(home, 'studio-light', false), { mode: 'vacation' }],
    })
    const dry = await home.call({ method: 'POST', path: `/v1/automations/${encodeURIComponent(made.id)}/try` })
    expect(dry.body).toMatchObject({
      because: null,
      if: [{ holds: true, leaves: [{ value: 'home', holds: false }] }],
      steps: [{ refused: null }, { step: { mode: 'vacation' }, refused: null }],
    })
    await setMode(home, 'away')
    expect(await home.get('/v1/mode')).toMatchObject({ mode: 'vacation', until: null })
    const { entries } = (await home.get('/v1/activity?limit=10')) as { entries: { subject: string; cause: object }[] }
    expect(entries.find(({ subject }) => subject === 'mode')?.cause).toMatchObject({
      source: 'automation',
      name: 'Leaving',
      by: { source: 'mode', name: 'Away', ref: 'away', by: { source: 'integration' } },
    })
  })

  verifies('automations.mode', 'a rule that names a hidden mode is hidden', async (home) => {
    const hiding = await home.integrate({ expose: ['room:hall'], settings: MAY })
    const seeing = await home.integrate({ expose: ['room:hall', 'mode'], settings: MAY })
    const rules = new RuleCalls(home, 'schedule', seeing)
    const made = await rules.create({ name: 'Bedtime', at: { time: '23:00' }, then: [{ mode: 'night' }] })
    const hidden = rules.as(hiding)
    expect(statusAndCode(await hidden.send('GET', hidden.mine(made.id)))).toEqual([404, 'not_found'])
    const draft = (mode: string): object => ({
      name: 'Mine',
      at: { time: '23:00' },
      if: [{ mode: ['home', mode] }],
      then: [{ delay: 1 }],
    })
    const [refused, invented] = await Promise.all(
      ['night', 'none'].map((mode) => hidden.send('POST', undefined, draft(mode))),
    )
    expect(statusAndCode(refused!)).toEqual([404, 'not_found'])
    expect(refused!.text).toBe(invented!.text)
    expect(statusAndCode(await rules.send('POST', undefined, draft('none')))).toEqual([404, 'not_found'])
  })

  verifies('automations.mode-opens-nothing', 'a mode opens a gate only for a caller who may', async (home) => {
    await setMode(home, 'home')
    const opening = new RuleCalls(home, 'automation', await home.integrate({ settings: MAY }))
    const gate = { device: home.id('driveway-gate', opening.who), op: 'open' }
    const { id } = await opening.create({ name: 'Party', when: [{ mode: 'guest' }], then: [gate] })
    const careful = await home.integrate({ settings: { ...MAY, allow_unlock: 'off' } })
    const allowed = await home.integrate({ settings: MAY })
    for (const [who, opens] of [
      [careful, 0],
      [allowed, 1],
    ] as const) {
      await setMode(home, 'home', who)
      const before = commandsOf(home, GATE)
      await setMode(home, 'guest', who)
      expect(commandsOf(home, GATE) - before).toBe(opens)
    }
    await opening.edit(id, { enabled: false, ifRevision: 1 })
  })
})
