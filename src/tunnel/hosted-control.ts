import type { z } from 'zod'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { HostedAgents, HostedRefusal } from '../auth/hosted/hosted-agents.ts'
import { agentRequest, type agentRequestStatus, revocation, tokens } from '../wire/relay-messages.ts'
import { type BodyHandler, jsonAnswer, validating } from './stream-responses.ts'

/** Control request of the relay; `signal` aborts when the relay stops waiting. */
export interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly signal: AbortSignal
}

const STATUS_PATH = /^\/agent-requests\/([\w-]{1,64})$/

/**
 * Handles the relay's requests for agents on hosted platforms: access requests, their status, tokens and revocations.
 */
export type HostedControl = (request: ControlRequest, body: unknown) => Promise<Answer>

export function hostedControl(agents: HostedAgents): HostedControl {
  const handlers: Readonly<Record<string, BodyHandler>> = {
    'POST /agent-requests': validating(agentRequest.request, (body) => {
      const created = agents.ask(body)
      return created.ok ? jsonAnswer(created.value) : refusalOf(created.error)
    }),
    'POST /tokens': validating(tokens.request, (body) => {
      const issued = 'refresh' in body ? agents.refresh(body) : agents.redeem(body)
      if (issued.ok) return jsonAnswer(issued.value satisfies z.output<typeof tokens.response>)
      const { kind: error, ...rest } = issued.error
      return jsonAnswer({ error, ...rest } satisfies z.output<typeof tokens.response>)
    }),
    'POST /revocations': validating(revocation.request, (body) => {
      if ('token' in body) agents.revoke(body)
      else agents.codeReused(body)
      return jsonAnswer({})
    }),
  }
  return async ({ method, path, signal }, body) => {
    const request = method === 'GET' ? STATUS_PATH.exec(path)?.[1] : undefined
    if (request === undefined) return handlers[`${method} ${path}`]?.(body) ?? refusedWith('not_found')
    const status = await agents.status(request, signal)
    return jsonAnswer({ status } satisfies z.output<typeof agentRequestStatus.response>)
  }
}

function refusalOf(refusal: HostedRefusal): Answer {
  switch (refusal.kind) {
    case 'rate_limited':
      return refusedWith('rate_limited', {
        message: 'Too many requests for access. Wait and try again.',
        retryAfter: refusal.retryAfter,
      })
    case 'validation':
      return refusedWith('validation', { message: refusal.message })
    case 'not_found':
    case 'agent_access_disabled':
    case 'cloud_access_disabled':
      return refusedWith(refusal.kind)
  }
}
