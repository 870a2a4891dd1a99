import { expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifiesAlone } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { passSeconds } from './device-flow.ts'

const clock = new PassingClock()
const verifies = verifiesAlone(() => ({ clock }), { over: 'stream' })
const MINUTE = 60

async function agentOf(home: TestHome): Promise<TestIntegration> {
  const { id } = await home.integrate({ settings: { ...EVERYTHING_ALLOWED, agent_access: 'on' } })
  const fields = { integration: id, name: 'Claude', platform: 'Desk' }
  return { id, ...(await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', fields)) }
}

const open = (home: TestHome, agent: TestIntegration, local: string, code?: string): Promise<RawAnswer> =>
  home.call({
    method: 'POST',
    path: home.at(local, '/control', agent),
    body: { op: 'open', ...(code === undefined ? {} : { code }) },
    token: agent.token,
  })

interface Waiting {
  readonly id: string
  readonly link: string
  readonly code: string
}

async function waiting(home: TestHome, { link }: TestIntegration): Promise<readonly Waiting[]> {
  const { confirmations } = await home.running.admin.call<{ confirmations: Waiting[] }>('GET', '/confirmations')
  return confirmations.filter((confirmation) => confirmation.link === link)
}

/** Tries to open with a wrong code. */
async function guess(home: TestHome, agent: TestIntegration, local: string): Promise<RawAnswer> {
  const codes = (await waiting(home, agent)).map(({ code }) => code)
  const wrong = ['123456', '654321', '111111', '222222'].find((code) => !codes.includes(code))
  return open(home, agent, local, wrong)
}

/**
 * Requests an opening and tries three wrong codes without letting time pass.
 * Returns that moment, from which waits are counted.
 */
function guessThrice(home: TestHome, agent: TestIntegration, local: string): Promise<number> {
  return clock.still(async () => {
    expect((await open(home, agent, local)).status).toBe(403)
    for (let turn = 0; turn < 3; turn++) expect((await guess(home, agent, local)).status).toBe(403)
    return clock.monotonic()
  })
}

/** Expects that another guess must wait until `seconds` after the third. */
function waitsUntil(home: TestHome, agent: TestIntegration, third: number, seconds: number): Promise<void> {
  return clock.still(async () => {
    const { status, body } = await guess(home, agent, 'driveway-gate')
    const left = Math.ceil(seconds - (clock.monotonic() - third) / 1000)
    expect([status, body]).toMatchObject([429, { error: { retryAfter: left } }])
  })
}

verifies(
  'agents.guesses',
  'three wrong codes block every entrance for 5 minutes, then 10, until a person confirms',
  async (home) => {
    const agent = await agentOf(home)
    const first = await guessThrice(home, agent, 'front-door')
    expect((await open(home, agent, 'driveway-gate')).status).toBe(403)
    await waitsUntil(home, agent, first, 5 * MINUTE)
    // The limit allows two more codes after ten minutes, three after fifteen.
    await passSeconds(home, 20 * MINUTE)
    const second = await guessThrice(home, agent, 'front-door')
    await passSeconds(home, 6 * MINUTE)
    expect((await open(home, agent, 'driveway-gate')).status).toBe(403)
    await waitsUntil(home, agent, second, 10 * MINUTE)
    const [mine] = await waiting(home, agent)
    await home.running.admin.call('POST', `/confirmations/${mine!.id}`, { confirm: true })
    expect((await open(home, agent, 'driveway-gate')).status).toBe(200)
    expect((await open(home, agent, 'driveway-gate')).status).toBe(403)
    expect((await guess(home, agent, 'driveway-gate')).status).toBe(403)
  },
)
