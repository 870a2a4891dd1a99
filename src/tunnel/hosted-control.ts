import type { z } from 'zod'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { HostedAgents, HostedRefusal } from '../auth/hosted/hosted-agents.ts'
import { agentRequest, type agentRequestStatus, revocation, tokens } from '../wire/control.ts'
import { jsonAnswer } from './answering.ts'

/** One question of the relay; `signal` ends when it is not waited for any more. */
export interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly signal: AbortSignal
}

const STATUS_PATH = /^\/agent-requests\/([\w-]{1,64})$/

/** What the relay asks for agents on hosted platforms: requests, what became of them, tokens. */
export class HostedControl {
  readonly #agents: HostedAgents

  constructor(agents: HostedAgents) {
    this.#agents = agents
  }

  async answer({ method, path, signal }: ControlRequest, body: unknown): Promise<Answer> {
    const request = STATUS_PATH.exec(path)?.[1]
    if (method === 'GET' && request !== undefined) {
      const status = await this.#agents.status(request, signal)
      return jsonAnswer({ status } satisfies z.output<typeof agentRequestStatus.answer>)
    }
    switch (`${method} ${path}`) {
      case 'POST /agent-requests':
        return this.#ask(body)
      case 'POST /tokens':
        return this.#tokens(body)
      case 'POST /revocations':
        return this.#revoke(body)
      default:
        return refusedWith('not_found')
    }
  }

  #ask(body: unknown): Answer {
    const ask = agentRequest.ask.safeParse(body)
    if (!ask.success) return refusedWith('validation')
    const asked = this.#agents.ask(ask.data)
    return asked.ok ? jsonAnswer(asked.value) : refusalOf(asked.error)
  }

  #tokens(body: unknown): Answer {
    const ask = tokens.ask.safeParse(body)
    if (!ask.success) return refusedWith('validation')
    const made = 'refresh' in ask.data ? this.#agents.refresh(ask.data) : this.#agents.redeem(ask.data)
    if (made.ok) return jsonAnswer(made.value satisfies z.output<typeof tokens.answer>)
    const { kind: error, ...rest } = made.error
    return jsonAnswer({ error, ...rest } satisfies z.output<typeof tokens.answer>)
  }

  #revoke(body: unknown): Answer {
    const ask = revocation.ask.safeParse(body)
    if (!ask.success) return refusedWith('validation')
    if ('token' in ask.data) this.#agents.revoke(ask.data)
    else this.#agents.codeReused(ask.data)
    return jsonAnswer({})
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
