import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  readRequestBody,
} from '@modelcontextprotocol/server'
import { type Answer, BODY_BYTES_MAX } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { Refusal } from '../api/errors.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Via } from '../auth/credential.ts'
import { type Clock, every } from '../lib/clock.ts'
import { parseJson } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import { McpCaller } from './caller.ts'
import { endable, type ExchangeOwner, Exchanges } from './exchanges.ts'
import { mcpServer } from './server.ts'
import { Sessions } from './sessions.ts'
import { elicitsByForm } from './tool.ts'

/** What another process changed is felt this soon, and idle sessions end this soon. */
const RECHECK_EVERY_MS = 1_000
const KEEP_ALIVE_MS = 15_000
/** Messages in one body; clients of 2025-03-26 may send several. */
const BATCH_MAX = 20
const INVALID_REQUEST = -32_600
const PARSE_ERROR = -32_700
const SESSION_NOT_FOUND = -32_001

const NO_KEYS =
  'The MCP server takes agent and session credentials, not keys. Ask an administrator to accept this agent, or to make a credential for it: bin/hm agent create.'

export interface McpEndpointParts {
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * The MCP server (Spec 1 point 7, D10): a codec over the pipeline of all requests, which knows no transport. Lets agents in, each
 * request by its own credential, and ends what may no longer go on.
 */
export class McpEndpoint {
  readonly #parts: McpEndpointParts
  readonly #handler: McpHttpHandler
  readonly #sessions: Sessions
  readonly #exchanges = new Exchanges()
  readonly #stopTicking: () => void

  constructor(parts: McpEndpointParts) {
    this.#parts = parts
    this.#handler = createMcpHandler(() => mcpServer(), {
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => parts.log.debug({ err: error }, 'An MCP request failed.'),
    })
    this.#sessions = new Sessions({
      clock: parts.clock,
      random: parts.random,
      serve: () => mcpServer({ sessionElicits: true }),
    })
    this.#stopTicking = every(parts.clock, RECHECK_EVERY_MS, () => {
      this.recheck()
      this.#sessions.endIdle()
    })
  }

  /** Answers one MCP request; its stream, if it has one, ends with the credential or with `request.signal`. */
  async answer(request: Request, from: { readonly via: Via; readonly peer: string }): Promise<Response> {
    try {
      const token = bearer(request)
      const owner = { token, via: from.via, link: this.#admit(token, from) }
      return await this.#exchange(request, owner, new McpCaller(this.#parts.dispatcher, { ...owner, peer: from.peer }))
    } catch (error) {
      return responseOf(this.#parts.dispatcher.refused(error, request))
    }
  }

  /** Asks the credential of every open stream and session again, at once: after an administrator changed something. */
  recheck(): void {
    const checked = new Map<string, boolean>()
    const over = ({ token, via }: ExchangeOwner): boolean => {
      const stands = checked.get(token) ?? this.#parts.authenticator.check(token, via).ok
      checked.set(token, stands)
      return !stands
    }
    this.#exchanges.endWhere(over)
    this.#sessions.endWhere((session) => over(session.owner))
  }

  /** Ends every stream and session; nobody is to be let in afterwards. */
  async stop(): Promise<void> {
    this.#stopTicking()
    this.#exchanges.endWhere(() => true)
    this.#sessions.endWhere(() => true)
    await this.#handler.close()
  }

  /** @throws Refusal as any request of this credential would get, and for keys: an agent must not borrow what needs no confirmation. */
  #admit(token: string, from: { readonly via: Via; readonly peer: string }): string {
    const caller = this.#parts.dispatcher.identify(token === '' ? null : token, from)
    if (caller.credential.kind === 'key') throw new Refusal('unauthorized', { message: NO_KEYS })
    this.#parts.dispatcher.admit(caller)
    const { link } = caller.credential
    if (this.#exchanges.full(link))
      throw new Refusal('rate_limited', {
        message: 'Too many MCP requests of this credential are open at once.',
        retryAfter: 1,
      })
    return link
  }

  async #exchange(request: Request, owner: ExchangeOwner, caller: McpCaller): Promise<Response> {
    const exchange = this.#exchanges.begin(owner)
    const ended = (): void => this.#exchanges.end(exchange)
    try {
      const signal = AbortSignal.any([request.signal, exchange.signal])
      const response = await this.#route(request, signal, owner, caller)
      // What the credential may no longer hear is not told, however far it got.
      const identity = this.#parts.authenticator.check(owner.token, owner.via)
      if (!identity.ok) {
        await response.body?.cancel()
        throw new Refusal(identity.error)
      }
      return endable(response, exchange.signal, ended)
    } catch (error) {
      ended()
      throw error
    }
  }

  async #route(original: Request, signal: AbortSignal, owner: ExchangeOwner, caller: McpCaller): Promise<Response> {
    const authInfo: AuthInfo = { token: owner.token, clientId: owner.link, scopes: [], extra: { caller } }
    const { url, method, headers } = original
    const request = new Request(url, { method, headers, signal })
    if (method !== 'POST')
      return this.#inSession(request, owner, { authInfo }) ?? this.#handler.fetch(request, { authInfo })
    if (!isJsonContentType(headers.get('content-type'))) throw new Refusal('unsupported_media_type')
    const body = await readRequestBody(original, BODY_BYTES_MAX)
    if (body.tooLarge) throw new Refusal('payload_too_large')
    const parsed = parseJson(body.text)
    if (!parsed.ok)
      return rpcError(
        400,
        PARSE_ERROR,
        parsed.error === 'too_deep' ? 'The body nests too deep.' : 'The body is not valid JSON.',
      )
    if (Array.isArray(parsed.value) && parsed.value.length > BATCH_MAX)
      return rpcError(400, INVALID_REQUEST, `At most ${BATCH_MAX} messages in one body.`)
    return this.#post(request, owner, { authInfo, parsedBody: parsed.value })
  }

  async #post(request: Request, owner: ExchangeOwner, options: McpHandlerRequestOptions): Promise<Response> {
    const { parsedBody } = options
    if (!(await isLegacyRequest(request, parsedBody))) return this.#handler.fetch(request, options)
    const inSession = this.#inSession(request, owner, options)
    if (inSession) return inSession
    const begins = isInitializeRequest(parsedBody) && elicitsByForm(parsedBody.params.capabilities)
    return (
      (begins ? await this.#sessions.begin(request, owner, options) : null) ?? this.#handler.fetch(request, options)
    )
  }

  /** Null when the request names no session. */
  #inSession(request: Request, owner: ExchangeOwner, options: McpHandlerRequestOptions): Promise<Response> | null {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return null
    return this.#sessions
      .answer(id, request, owner, options)
      .then((response) => response ?? rpcError(404, SESSION_NOT_FOUND, 'There is no such session. Initialize again.'))
  }
}

/** The header alone: a token in an address would be written into logs and histories. */
function bearer(request: Request): string {
  const header = request.headers.get('authorization') ?? ''
  return /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : ''
}

function responseOf(answer: Answer): Response {
  const challenge = answer.status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return new Response(answer.body?.toString() ?? null, {
    status: answer.status,
    headers: { ...answer.headers, ...challenge },
  })
}

function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })
}
