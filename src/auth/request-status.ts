import type { IntegrationReader } from '../exposure/integration.ts'
import type { AgentRequest } from './agent-request.ts'

/** Spec 8: a pending request waits about 10 minutes. */
export const PENDING_MS = 10 * 60_000
/** An agent that was accepted at the last moment still has this long to collect its token. */
export const COLLECT_MS = 2 * 60_000

/** What has become of a request (Spec 3). `expired` is a matter of time and stored nowhere. */
export type RequestStatus = AgentRequest['state'] | 'expired'

/** Steady ms until which the request can be answered, or its token collected. */
export function endOf({ steadyAskedAt, state, decision }: AgentRequest): number {
  const asked = steadyAskedAt + PENDING_MS
  return state === 'accepted' && decision ? Math.max(asked, decision.steadyAt + COLLECT_MS) : asked
}

/**
 * Steady ms at which the request ends by itself, at once where its integration is gone; Infinity once it was denied or
 * collected.
 */
export function ownEndOf(request: AgentRequest, integrations: Pick<IntegrationReader, 'get'>): number {
  if (request.state === 'denied' || request.state === 'collected') return Infinity
  return isForNothing(request, integrations) ? 0 : endOf(request)
}

/** Its status at the steady time `now`. A request for an integration that is gone is as good as denied. */
export function statusOf(
  request: AgentRequest,
  now: number,
  integrations: Pick<IntegrationReader, 'get'>,
): RequestStatus {
  const { state } = request
  if (state === 'denied' || state === 'collected') return state
  if (isForNothing(request, integrations)) return 'denied'
  return now >= endOf(request) ? 'expired' : state
}

/** Whether the integration that the request is for no longer exists. */
function isForNothing(
  { state, decision, record }: AgentRequest,
  integrations: Pick<IntegrationReader, 'get'>,
): boolean {
  const wanted = state === 'accepted' ? decision?.grant?.integration : record
  return wanted === undefined || (wanted !== null && !integrations.get(wanted))
}

/** A matching code as people see it: `XXXX-XXXX`. */
export function shownCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`
}

/** What a person typed, as a matching code is stored. */
export function typedCode(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z]/g, '')
}
