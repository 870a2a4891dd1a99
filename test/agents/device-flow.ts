import type { DeviceAuthorization } from '../../src/auth/agents/agent-request.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'

/** Options of a home with its own clock; pairing does not need a settled house. */
export const withPassingClock = (): TestGatewayOptions => ({
  clock: new PassingClock(),
  settled: false,
  ...ONE_UNIT,
})

/** Lets time pass at a home with `withPassingClock`. */
export function passSeconds(home: TestHome, seconds: number): Promise<void> {
  const { clock } = home.running
  if (!(clock instanceof PassingClock)) throw new Error('The home needs a PassingClock.')
  return clock.pass(seconds * 1000)
}

/** Pairing over HTTPS has no credential; pairing over a socket ignores the socket's. */
export function withoutCredential(home: TestHome): Pick<TestRequest, 'token'> {
  return home.transport === 'http' ? { token: null } : {}
}

/** Body of a valid request for access, with `fields` in place of its own. */
export function pairingBody(home: TestHome, fields: object = {}): object {
  return { gateway: home.running.gateway.serial, name: 'Claude', platform: 'Claude Code', ...fields }
}

export function postPairing(home: TestHome, fields: object = {}): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: '/v1/pair', body: pairingBody(home, fields), ...withoutCredential(home) })
}

/** Requests access; a refusal fails the test. */
export async function startPairing(home: TestHome, fields: object = {}): Promise<DeviceAuthorization> {
  const answer = await postPairing(home, fields)
  if (answer.status !== 200) throw new Error(`POST /v1/pair answered ${answer.status}: ${answer.text}`)
  return answer.body as DeviceAuthorization
}

export function poll(home: TestHome, code: string): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: '/v1/pair/token', body: { code }, ...withoutCredential(home) })
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
export function allowAgents(home: TestHome, integration = home.main): Promise<void> {
  return home.change(integration, { settings: { agent_access: 'on' } })
}

/** Polls once; any answer without a token fails the test. */
export async function collectToken(home: TestHome, code: string): Promise<string> {
  const answer = await poll(home, code)
  if (answer.status !== 200) throw new Error(`POST /v1/pair/token answered ${answer.status}: ${answer.text}`)
  return (answer.body as { access_token: string }).access_token
}
