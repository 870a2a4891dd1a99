import type { AgentRequestInput, DeviceAuthorization, PollResult } from '../../src/auth/agents/agent-request.ts'
import type { HostedClient } from '../../src/auth/credentials/credentials.ts'
import { type AccessHome, ANNA } from '#support/homes/access-home.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** A client on a hosted platform. */
export const CLAUDE: HostedClient = {
  client: 'https://claude.example/client.json',
  redirectHost: 'claude.example',
  audience: 'mcp',
  account: 'anna@example.org',
}
/** A program at home that requests access. */
export const ROBOT: AgentRequestInput = {
  name: 'Robot',
  platform: 'lab',
  record: null,
  hosted: null,
  suggested: null,
  via: 'home',
  peer: '192.168.1.20',
}

/** Sends a request; a refusal fails the test. */
export const ask = (home: AccessHome, fields: Partial<AgentRequestInput> = {}): DeviceAuthorization => {
  const result = home.pairing.startDeviceFlow({ ...ROBOT, ...fields })
  if (!result.ok) throw new Error(`The request was refused: ${JSON.stringify(result.error)}`)
  return result.value
}
/** Refusal of a request, or null. */
export const refusalOf = (home: AccessHome, fields: Partial<AgentRequestInput> = {}): unknown => {
  const result = home.pairing.startDeviceFlow({ ...ROBOT, ...fields })
  return result.ok ? null : result.error
}
/** Accepts a request as an administrator, by default as an agent. */
export const accept = (
  home: AccessHome,
  { userCode }: DeviceAuthorization,
  choice: Partial<Parameters<AccessHome['pairing']['accept']>[1]> = {},
) => home.pairing.accept(userCode, { kind: 'agent', ...choice }, ANNA)
/** Number of polls by kind of answer. */
export const countKinds = (polled: readonly PollResult[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { kind } of polled) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
export const tokenOf = (polled: PollResult): string => {
  if (polled.kind !== 'token') throw new Error(`The poll returned ${polled.kind}.`)
  return polled.token
}
/** Events for administrators in order; an exclamation mark means a notification. */
export const emitted = (home: AccessHome): string[] =>
  home.events.map((event) => {
    if (event.kind === 'agent_request') return event.notice ? 'asks!' : 'asks'
    return event.kind === 'agent_request_ended' ? event.how : event.kind
  })
