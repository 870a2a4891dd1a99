import type { RawAnswer } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'

/** A home with a clock of its own; pairing does not look at its house. */
export const passing = (): TestGatewayOptions => ({
  clock: new PassingClock(),
  settled: false,
  ...ONE_UNIT,
})

/** Lets time pass at a home made with `passing`. */
export function pass(home: TestHome, seconds: number): Promise<void> {
  const { clock } = home.running
  if (!(clock instanceof PassingClock)) throw new Error('The home has no clock that a test can let pass.')
  return clock.pass(seconds * 1000)
}

export interface Asked {
  readonly code: string
  readonly userCode: string
  readonly interval: number
  readonly expiresIn: number
}

/** Pairing over HTTPS has no credential; pairing over a socket ignores the socket's. */
export function anyone(home: TestHome): Pick<TestRequest, 'token'> {
  return home.transport === 'http' ? { token: null } : {}
}

/** The fields of a request for access that is right in everything but what `fields` says. */
export function wish(home: TestHome, fields: object = {}): object {
  return { gateway: home.running.gateway.serial, name: 'Claude', platform: 'Claude Code', ...fields }
}

export function askFor(home: TestHome, fields: object = {}): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: '/v1/pair', body: wish(home, fields), ...anyone(home) })
}

/** The answer to a request for access that has to be taken. */
export async function asked(home: TestHome, fields: object = {}): Promise<Asked> {
  const answer = await askFor(home, fields)
  if (answer.status !== 200) throw new Error(`POST /v1/pair answered ${answer.status}: ${answer.text}`)
  return answer.body as Asked
}

export function poll(home: TestHome, code: string): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: '/v1/pair/token', body: { code }, ...anyone(home) })
}

/** Literal responses of the device flow. */
export const PENDING = { status: 400, body: { error: 'authorization_pending' } }
export const SLOW_DOWN = { status: 429, body: { error: 'slow_down' } }
export const DENIED = { status: 400, body: { error: 'access_denied' } }
export const EXPIRED = { status: 400, body: { error: 'expired_token' } }

export function accept(home: TestHome, userCode: string, choice: object = {}): Promise<Record<string, unknown>> {
  return home.running.admin.call('POST', `/agents/requests/${userCode}/accept`, choice)
}

export function deny(home: TestHome, userCode: string, choice: object = {}): Promise<Record<string, unknown>> {
  return home.running.admin.call('POST', `/agents/requests/${userCode}/deny`, choice)
}

/** Turns agent_access on for an integration, by default the main one. */
export function letIn(home: TestHome, integration = home.main): Promise<void> {
  return home.change(integration, { settings: { agent_access: 'on' } })
}

/** The token of a poll that has to get one. */
export async function collected(home: TestHome, code: string): Promise<string> {
  const answer = await poll(home, code)
  if (answer.status !== 200) throw new Error(`POST /v1/pair/token answered ${answer.status}: ${answer.text}`)
  return (answer.body as { access_token: string }).access_token
}
