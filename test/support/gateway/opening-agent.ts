import { expect } from 'vitest'
import { fetchTrusting } from './agents.ts'
import type { RawAnswer } from './callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration } from './harness.ts'

/** Addresses of the door and gate in the demo home. */
export const FRONT_DOOR = 13
export const GATE = 91
export const ADMINISTRATOR = 'administrator (command line)'
export const LABEL = 'Agent: Claude via Desk'

interface Waiting {
  readonly id: string
  readonly link: string
  readonly what: string
  readonly code: string
}

/** An integration with an agent's credential: `token` and `link` are the agent's, or a session's. */
export async function agentOf(home: TestHome, who?: TestIntegration, session = false): Promise<TestIntegration> {
  const { id } = who ?? (await home.integrate({ settings: { ...EVERYTHING_ALLOWED, agent_access: 'on' } }))
  const { token, link } = await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', {
    integration: id,
    name: 'Claude',
    platform: 'Desk',
    session,
  })
  return { id, token, link }
}

export const control = (home: TestHome, agent: TestIntegration, local: string, body: object): Promise<RawAnswer> =>
  home.call({ method: 'POST', path: home.at(local, '/control', agent), body, token: agent.token })

export const open = (
  home: TestHome,
  agent: TestIntegration,
  local = 'front-door',
  more: object = {},
): Promise<RawAnswer> => control(home, agent, local, { op: 'open', ...more })

/** The pending confirmations of one agent. */
export async function waitingConfirmations(home: TestHome, agent: TestIntegration): Promise<readonly Waiting[]> {
  const { confirmations } = await home.running.admin.call<{ confirmations: Waiting[] }>('GET', '/confirmations')
  return confirmations.filter(({ link }) => link === agent.link)
}

/** @throws unless exactly one confirmation of the agent is pending */
export async function waitingConfirmation(home: TestHome, agent: TestIntegration): Promise<Waiting> {
  const [one, ...more] = await waitingConfirmations(home, agent)
  if (one === undefined || more.length > 0)
    throw new Error(`${more.length + (one ? 1 : 0)} confirmations wait instead of one`)
  return one
}

/** Confirms or denies the pending confirmation as an administrator. */
export async function decideConfirmation(home: TestHome, agent: TestIntegration, confirm = true): Promise<void> {
  await home.running.admin.call('POST', `/confirmations/${(await waitingConfirmation(home, agent)).id}`, { confirm })
}

export function expectConfirmationRequired(answered: RawAnswer): void {
  expect(answered, answered.text).toMatchObject({
    status: 403,
    body: { error: { code: 'confirmation_required', appAction: 'integrations.confirm' } },
  })
}

/** Creates a scene and returns its local id. */
export async function createScene(home: TestHome, name: string, steps: readonly object[]): Promise<string> {
  const made = await home.call({ method: 'POST', path: '/v1/scenes', body: { name, steps } })
  expect(made.status, made.text).toBe(201)
  return (made.body as { scene: { id: string } }).scene.id.split(':').slice(2).join(':')
}

/** Sends headers that might bypass a confirmation. */
export async function tryHeaders(home: TestHome, agent: TestIntegration, id: string): Promise<void> {
  const { fetch, agent: sockets } = fetchTrusting(home.ca)
  for (const [name, value] of [
    ['x-confirmed', 'true'],
    ['x-confirmation', id],
    ['x-user-consent', 'yes'],
    ['x-forwarded-user', ADMINISTRATOR],
    ['x-http-method-override', 'GET'],
    ['prefer', 'confirmed'],
  ]) {
    const answered = await fetch(`${home.running.url}${home.at('front-door', '/control', agent)}`, {
      method: 'POST',
      body: '{"op":"open"}',
      headers: {
        authorization: `Bearer ${agent.token}`,
        'content-type': 'application/json',
        [name ?? '']: value ?? '',
      },
    })
    expect([answered.status, await answered.json()], name).toMatchObject([
      403,
      { error: { code: 'confirmation_required' } },
    ])
  }
  sockets.destroy()
}
