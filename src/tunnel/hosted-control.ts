import type { z } from 'zod'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { HostedAgents, HostedRefusal } from '../auth/hosted/hosted-agents.ts'
import { agentRequest, type agentRequestStatus, revocation, tokens } from '../wire/control.ts'
import { type Answering, jsonAnswer, taking } from './answering.ts'

/** One question of the relay; `signal` ends when it is not waited for any more. */
export interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly signal: AbortSignal
}

const STATUS_PATH = /^\/agent-requests\/([\w-]{1,64})$/

/** Answers what the relay asks for agents on hosted platforms: requests, what became of them, tokens. */
export type Hosted = (request: ControlRequest, body: unknown) => Promise<Answer>

export function hostedControl(agents: HostedAgents): Hosted {
  const answers: Readonly<Record<string, Answering>> = {
    'POST /agent-requests': taking(agentRequest.ask, (ask) => {
      const asked = agents.ask(ask)
      return asked.ok ? jsonAnswer(asked.value) : refusalOf(asked.error)
    }),
    'POST /tokens': taking(tokens.ask, (ask) => {
      const made = 'refresh' in ask ? agents.refresh(ask) : agents.redeem(ask)
      if (made.ok) return jsonAnswer(made.value satisfies z.output<typeof tokens.answer>)
      const { kind: error, ...rest } = made.error
      return jsonAnswer({ error, ...rest } satisfies z.output<typeof tokens.answer>)
    }),
    'POST /revocations': taking(revocation.ask, (ask) => {
      if ('token' in ask) agents.revoke(ask)
      else agents.codeReused(ask)
      return jsonAnswer({})
    }),
  }
  return async ({ method, path, signal }, body) => {
    const request = method === 'GET' ? STATUS_PATH.exec(path)?.[1] : undefined
    if (request === undefined) return answers[`${method} ${path}`]?.(body) ?? refusedWith('not_found')
    const status = await agents.status(request, signal)
    return jsonAnswer({ status } satisfies z.output<typeof agentRequestStatus.answer>)
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
