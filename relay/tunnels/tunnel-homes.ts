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
} from '@hm-gateway/wire/relay-messages.ts'
import type {
  AgentRequestStatus,
  HomeFailure,
  HomeRefusal,
  NewAgentRequest,
  PendingAgentRequest,
  RevocationRequest,
  TokenRequest,
  Tokens,
  TokensFailure,
} from '../model/homes.ts'
import type { Directory } from './directory.ts'
import { type ControlChannel, sendControlRequest, type RequestFailure, type ControlRequest } from './control-request.ts'
import { openStream } from './open-stream.ts'

/** `retryAfter` of a gateway that is offline. */
const RETRY_SECONDS = 15
/** The gateway itself waits up to `AGENT_REQUEST_WAIT_MS` for a decision; this time is added for the network. */
const WAIT_MARGIN_MS = 5_000

/** Error body of an untrusted gateway. */
const refusal = z.object({
  error: z.object({
    code: z.string().max(64),
    message: z.string().max(500),
    retryAfter: z.int().min(0).max(86_400).optional(),
  }),
})

/** Requests of the relay itself to gateways, over the control streams of their tunnels. */
export class TunnelHomes {
  readonly #directory: Directory
  readonly #clock: Clock

  constructor(directory: Directory, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  /** True if the gateway is connected at any node. */
  async isConnected(gateway: string): Promise<boolean> {
    return (await this.#directory.find(gateway)) !== null
  }

  /** Name of the house; null if the home allows end-to-end connections only. */
  async label(gateway: string): Promise<Result<string | null, HomeFailure>> {
    const response = await this.#send(gateway, { path: '/label', response: label.response })
    if (response.ok) return ok(response.value.house)
    const refused = refusalOf(response.error)
    return refused?.code === 'misdirected_request' ? ok(null) : fail(failureOf(response.error))
  }

  /** Asks a home for access of an agent. */
  async requestAccess(
    gateway: string,
    body: NewAgentRequest,
  ): Promise<Result<PendingAgentRequest, HomeFailure | HomeRefusal>> {
    const response = await this.#send(gateway, { path: '/agent-requests', body, response: agentRequest.response })
    return response.ok ? response : fail(refusalOf(response.error) ?? failureOf(response.error))
  }

  /** Waits up to 25 s for the decision on an agent's request; `pending` if there is none or the signal aborts. */
  async agentRequest(
    gateway: string,
    request: string,
    signal: AbortSignal,
  ): Promise<Result<AgentRequestStatus, HomeFailure>> {
    const response = await this.#send(gateway, {
      path: `/agent-requests/${encodeURIComponent(request)}`,
      response: agentRequestStatus.response,
      timeoutMs: AGENT_REQUEST_WAIT_MS + WAIT_MARGIN_MS,
      signal,
    })
    if (response.ok) return ok(response.value.status)
    return signal.aborted ? ok('pending') : fail(failureOf(response.error))
  }

  /** Redeems an authorization code or a refresh token at the home that issues the tokens. */
  async tokens(gateway: string, body: TokenRequest): Promise<Result<Tokens, TokensFailure>> {
    const response = await this.#send(gateway, { path: '/tokens', body, response: tokens.response })
    if (!response.ok) return fail(failureOf(response.error))
    if (!('error' in response.value)) return ok(response.value)
    const { error, retryAfter = RETRY_SECONDS } = response.value
    return fail(error === 'slow_down' ? { kind: error, retryAfter } : { kind: error })
  }

  /** Ends a token, or the tokens of a code that was used twice. */
  async revoke(gateway: string, body: RevocationRequest): Promise<Result<void, HomeFailure>> {
    const response = await this.#send(gateway, { path: '/revocations', body, response: revocation.response })
    return response.ok ? ok(undefined) : fail(failureOf(response.error))
  }

  async #send<S extends z.ZodType>(
    gateway: string,
    request: ControlRequest<S>,
  ): Promise<Result<z.output<S>, RequestFailure>> {
    const isCancelled = (): boolean => request.signal?.aborted === true
    const open: ControlChannel['open'] = async (headers, endStream) => {
      const opened = await openStream(this.#directory, gateway, { headers, endStream, isCancelled })
      return typeof opened === 'string' ? opened : opened.stream
    }
    return sendControlRequest({ open }, request, this.#clock)
  }
}

/** The interface of `TunnelHomes` without its private members, so that tests can replace it. */
export type Homes = Pick<TunnelHomes, keyof TunnelHomes>

/**
 * An unexpected refusal or a response outside the protocol counts as a timeout: the request may have been carried out.
 */
function failureOf({ kind }: RequestFailure): HomeFailure {
  return { kind: kind === 'offline' ? 'gateway_offline' : 'gateway_timeout', retryAfter: RETRY_SECONDS }
}

function refusalOf(failure: RequestFailure): HomeRefusal | null {
  if (failure.kind !== 'refused') return null
  const parsed = refusal.safeParse(failure.body)
  if (!parsed.success) return null
  const { code, message, retryAfter } = parsed.data.error
  return { kind: 'refused', status: failure.status, code, message, ...(retryAfter === undefined ? {} : { retryAfter }) }
}
