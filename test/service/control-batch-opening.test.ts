import { describe, expect } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { simulatedHome } from '../../src/gateway/simulated-home.ts'
import { homeForAgents } from '#support/gateway/agents.ts'
import { batch, batchResults as results } from '#support/gateway/batches.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { commandsOf } from '#support/gateway/await-home.ts'

const verifies = verifiesOver('http')

type Fields = Readonly<Record<string, unknown>>

const FRONT_DOOR = 13
const SECOND_LOCK = { class: 'lock', room: 'hall' } as const
const ON = { op: 'set_power', args: { on: true } }

describe('a call with several openings', () => {
  verifies(
    ['api.batch', '4.rule2.lock', '4.rule2.gate'],
    'needs allow_unlock for each opening, and performs its other operations without it',
    async (home) => {
      const careful = await home.integrate({ settings: { ...EVERYTHING_ALLOWED, allow_unlock: 'off' } })
      const before = commandsOf(home, FRONT_DOOR)
      expect(
        await results(
          home,
          {
            controls: [
              { device: home.id('front-door', careful), op: 'open' },
              { device: home.id('guest-light', careful), ...ON },
              { device: home.id('driveway-gate', careful), op: 'open' },
            ],
          },
          careful,
        ),
      ).toMatchObject([
        { error: { code: 'unlock_not_allowed', appAction: 'integrations.record' } },
        { state: { on: true } },
        { error: { code: 'unlock_not_allowed' } },
      ])
      expect(
        await results(home, { room: home.id('room:hall', careful), class: 'lock', op: 'open' }, careful),
      ).toMatchObject([{ error: { code: 'unlock_not_allowed' } }])
      expect(commandsOf(home, FRONT_DOOR)).toBe(before)
    },
  )

  verifies(
    ['api.batch', '4.rule2.gate', 'agents.confirmation'],
    'by an agent needs a confirmation for each opening, and the activity names the person',
    async (home) => {
      const agent = await agentOf(home)
      const body = {
        controls: [
          { device: home.id('front-door', agent), op: 'open' },
          { device: home.id('guest-light', agent), ...ON },
        ],
      }
      expect(await results(home, body, agent)).toMatchObject([
        { error: { code: 'confirmation_required', appAction: 'integrations.confirm' } },
        { state: { on: true } },
      ])
      await confirmOf(home, agent)
      expect(await results(home, body, agent)).toMatchObject([{ state: { locked: false } }, { state: { on: true } }])
      const device = home.id('front-door', agent)
      const { entries } = (
        await home.call({ method: 'GET', path: '/v1/activity', query: { device }, token: agent.token })
      ).body as { entries: { kind: string; cause: Fields }[] }
      expect(entries.find(({ kind }) => kind === 'state')?.cause).toMatchObject({
        source: 'agent',
        confirmedBy: 'administrator (command line)',
      })
      expect(await results(home, body, agent)).toMatchObject([{ error: { code: 'confirmation_required' } }, {}])
      expect(await results(home, { controls: [{ device: home.id('front-door'), op: 'close' }] })).toMatchObject([
        { state: { locked: true } },
      ])
    },
  )
})

describe('an agent that opens a lock by its room or floor', () => {
  verifies(['api.batch-place', '4.rule2.lock', 'agents.confirmation'], 'sends the code of that lock', async (home) => {
    const agent = await agentOf(home)
    const body = { floor: home.id('floor:ground-floor', agent), class: 'lock', op: 'open' }
    expect(await results(home, body, agent)).toMatchObject([{ error: { code: 'confirmation_required' } }])
    const { code } = await waitingOf(home, agent)
    const wrong = code === '000000' ? '000001' : '000000'
    expect(await results(home, { ...body, code: wrong }, agent)).toMatchObject([
      { error: { code: 'confirmation_required', message: expect.stringContaining('not the code') as string } },
    ])
    expect(await results(home, { ...body, code }, agent)).toMatchObject([{ state: { locked: false } }])
    expect(await results(home, { ...body, code, op: 'close' }, agent)).toMatchObject([{ state: { locked: true } }])
  })

  proves('api.batch-place', 'is refused if one code would open two locks', async () => {
    const { house } = simulatedHome(
      { kind: 'sim', units: null, seed: 1, speed: 1 },
      systemClock,
      'Europe/Berlin',
    ).newHome
    const demo = house()
    const units = demo.units.map((unit) => (unit.id === 'guest-light' ? { ...unit, ...SECOND_LOCK } : unit))
    await using home = await homeForAgents({ firstHouse: { ...demo, units }, settled: false })
    const agent = await agentOf(home)
    const body = { room: home.id('room:hall', agent), class: 'lock', op: 'open' }
    expect(await batch(home, { ...body, code: '000000' }, agent)).toMatchObject({
      status: 422,
      body: {
        error: {
          message:
            'code: it is for one opening, and this call has several. Send `controls`, where each entry has its own code.',
        },
      },
    })
    const waits = { error: { code: 'confirmation_required' } }
    expect(await results(home, body, agent)).toMatchObject([waits, waits])
  })
})

async function agentOf(home: TestHome): Promise<TestIntegration> {
  const { id } = await home.integrate({ settings: { ...EVERYTHING_ALLOWED, agent_access: 'on' } })
  const { token, link } = await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', {
    integration: id,
    name: 'Claude',
    platform: 'Desk',
    session: false,
  })
  return { id, token, link }
}

async function confirmOf(home: TestHome, agent: TestIntegration): Promise<void> {
  const { id } = await waitingOf(home, agent)
  await home.running.admin.call('POST', `/confirmations/${id}`, { confirm: true })
}

interface Waiting {
  readonly id: string
  readonly link: string
  readonly code: string
}

async function waitingOf(home: TestHome, agent: TestIntegration): Promise<Waiting> {
  const { confirmations } = await home.running.admin.call<{ confirmations: Waiting[] }>('GET', '/confirmations')
  const waiting = confirmations.find(({ link }) => link === agent.link)
  if (!waiting) throw new Error('No confirmation waits.')
  return waiting
}
