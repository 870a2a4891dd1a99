import { z } from 'zod'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import {
  AGENT_REQUEST_WAIT_MS,
  agentRequest,
  agentRequestStatus,
  label,
  revocation,
  tokens,
} from '@hm-gateway/wire/control.ts'
import type {
  AgentRequestAsk,
  AgentRequestAsked,
  AgentRequestStatus,
  HomeFailure,
  HomeRefusal,
  RevocationAsk,
  Tokens,
  TokensAsk,
  TokensFailure,
} from '../model/homes.ts'
import type { Directory } from './directory.ts'
import { type ControlLine, exchange, type ExchangeFailure, type Question } from './exchange.ts'
import { openStream } from './open-stream.ts'

/** Seconds after which a gateway that is away is asked for again. */
const RETRY_SECONDS = 15
/** What the waiting for a decision may take beyond the gateway's own time. */
const WAIT_MARGIN_MS = 5_000

/** The Error shape, as a stranger sends it. */
const refusal = z.object({
  error: z.object({
    code: z.string().max(64),
    message: z.string().max(500),
    retryAfter: z.int().min(0).max(86_400).optional(),
  }),
})

/** Asks gateways over the control streams of their tunnels. */
export class TunnelHomes {
  readonly #directory: Directory
  readonly #clock: Clock

  constructor(directory: Directory, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  /** Whether its gateway is connected, at any node. */
  async isConnected(gateway: string): Promise<boolean> {
    return (await this.#directory.find(gateway)) !== null
  }

  /** The house's name; null of one that is reached end to end alone. */
  async label(gateway: string): Promise<Result<string | null, HomeFailure>> {
    const asked = await this.#ask(gateway, { path: '/label', answer: label.answer })
    if (asked.ok) return ok(asked.value.house)
    const refused = refusalOf(asked.error)
    return refused?.code === 'misdirected_request' ? ok(null) : fail(failureOf(asked.error))
  }

  async askAgent(gateway: string, ask: AgentRequestAsk): Promise<Result<AgentRequestAsked, HomeFailure | HomeRefusal>> {
    const asked = await this.#ask(gateway, { path: '/agent-requests', body: ask, answer: agentRequest.answer })
    return asked.ok ? asked : fail(refusalOf(asked.error) ?? failureOf(asked.error))
  }

  /** Waits up to 25 s for a decision; `pending` where there was none, or the signal ended the wait. */
  async agentRequest(
    gateway: string,
    request: string,
    signal: AbortSignal,
  ): Promise<Result<AgentRequestStatus, HomeFailure>> {
    const asked = await this.#ask(gateway, {
      path: `/agent-requests/${encodeURIComponent(request)}`,
      answer: agentRequestStatus.answer,
      waitMs: AGENT_REQUEST_WAIT_MS + WAIT_MARGIN_MS,
      signal,
    })
    if (asked.ok) return ok(asked.value.status)
    return signal.aborted ? ok('pending') : fail(failureOf(asked.error))
  }

  async tokens(gateway: string, ask: TokensAsk): Promise<Result<Tokens, TokensFailure>> {
    const asked = await this.#ask(gateway, { path: '/tokens', body: ask, answer: tokens.answer })
    if (!asked.ok) return fail(failureOf(asked.error))
    if (!('error' in asked.value)) return ok(asked.value)
    const { error, retryAfter = RETRY_SECONDS } = asked.value
    return fail(error === 'slow_down' ? { kind: error, retryAfter } : { kind: error })
  }

  async revoke(gateway: string, ask: RevocationAsk): Promise<Result<void, HomeFailure>> {
    const asked = await this.#ask(gateway, { path: '/revocations', body: ask, answer: revocation.answer })
    return asked.ok ? ok(undefined) : fail(failureOf(asked.error))
  }

  async #ask<S extends z.ZodType>(
    gateway: string,
    question: Question<S>,
  ): Promise<Result<z.output<S>, ExchangeFailure>> {
    const hasLeft = (): boolean => question.signal?.aborted === true
    const open: ControlLine['open'] = async (headers, endStream) => {
      const opened = await openStream(this.#directory, gateway, { headers, endStream, hasLeft })
      return typeof opened === 'string' ? opened : opened.stream
    }
    return exchange({ open }, question, this.#clock)
  }
}

/** Requests of the relay to homes for people and agents that sign in here; any node may hold the tunnels. */
export type Homes = Pick<TunnelHomes, keyof TunnelHomes>

/** What a gateway refused that was not expected to, or answered outside the protocol, may have been carried out. */
function failureOf({ kind }: ExchangeFailure): HomeFailure {
  return { kind: kind === 'offline' ? 'gateway_offline' : 'gateway_timeout', retryAfter: RETRY_SECONDS }
}

function refusalOf(failure: ExchangeFailure): HomeRefusal | null {
  if (failure.kind !== 'refused') return null
  const parsed = refusal.safeParse(failure.body)
  if (!parsed.success) return null
  const { code, message, retryAfter } = parsed.data.error
  return { kind: 'refused', status: failure.status, code, message, ...(retryAfter === undefined ? {} : { retryAfter }) }
}
