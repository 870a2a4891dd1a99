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
/** A program in the house that asks to be connected. */
export const ROBOT: AgentRequestInput = {
  name: 'Robot',
  platform: 'lab',
  record: null,
  hosted: null,
  suggested: null,
  via: 'home',
  peer: '192.168.1.20',
}

/** It asks; a refusal fails the test. */
export const ask = (home: AccessHome, what: Partial<AgentRequestInput> = {}): DeviceAuthorization => {
  const asked = home.pairing.ask({ ...ROBOT, ...what })
  if (!asked.ok) throw new Error(`It was refused: ${JSON.stringify(asked.error)}`)
  return asked.value
}
/** Refusal of a request, or null. */
export const refused = (home: AccessHome, what: Partial<AgentRequestInput> = {}): unknown => {
  const asked = home.pairing.ask({ ...ROBOT, ...what })
  return asked.ok ? null : asked.error
}
/** Accepts a request as an administrator, by default as an agent. */
export const accept = (
  home: AccessHome,
  { userCode }: DeviceAuthorization,
  choice: Partial<Parameters<AccessHome['pairing']['accept']>[1]> = {},
) => home.pairing.accept(userCode, { kind: 'agent', ...choice }, ANNA)
/** How many polls were answered with what. */
export const kinds = (polled: readonly PollResult[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { kind } of polled) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
export const tokenOf = (polled: PollResult): string => {
  if (polled.kind !== 'token') throw new Error(`It was answered ${polled.kind}.`)
  return polled.token
}
/** Events for administrators in order; a mark means a notification. */
export const emitted = (home: AccessHome): string[] =>
  home.events.map((each) => {
    if (each.kind === 'agent_request') return each.notice ? 'asks!' : 'asks'
    return each.kind === 'agent_request_ended' ? each.how : each.kind
  })
