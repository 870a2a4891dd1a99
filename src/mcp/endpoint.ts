import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import { type Answer, BODY_BYTES_MAX } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { refusalFor } from '../api/admission.ts'
import { refuse } from '../api/errors.ts'
import type { McpAnswer, McpHandler, McpRequest, McpSender } from '../api/mcp-call.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import { OpenChannels, RECHECK_EVERY_MS } from '../auth/open-channels.ts'
import type { AccessChange } from '../exposure/access-change.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import { parseJson } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import { answerOf, isEventStream, rpcAnswer, STOPPING } from './answer.ts'
import { McpCaller } from './caller.ts'
import { endable, type OpenRequest, REQUEST_LIMITS, type RequestOwner } from './open-requests.ts'
import { webRequest } from './request.ts'
import { askedBy, mcpServer } from './server.ts'
import { Sessions } from './sessions.ts'
import { answerStateless, preparedList } from './stateless.ts'
import { LocalTimes } from './times.ts'
import { elicitsByForm } from './tool.ts'

const KEEP_ALIVE_MS = 15_000
/** Messages in one body; clients of 2025-03-26 may send several. */
const BATCH_MAX = 20
const INVALID_REQUEST = -32_600
const PARSE_ERROR = -32_700
const SESSION_NOT_FOUND = -32_001

const NO_KEYS =
  'The MCP server takes agent and session credentials, not keys. Ask an administrator to accept this agent, or to make a credential for it: bin/hm agent create.'

/** A request of somebody who was admitted; `signal` ends it with the credential, or when the client leaves. */
interface Asked {
  readonly request: McpRequest
  readonly signal: AbortSignal
  readonly owner: RequestOwner
}

export interface McpEndpointParts {
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly accessChanges: Pick<Emitter<AccessChange>, 'on'>
  /** The home's time zone as it is now. */
  readonly timeZone: () => string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * The MCP server (Spec 1 point 7, docs/agents.md#mcp): a codec over the pipeline of all requests, which knows no
 * transport. It admits agents, each request by its own credential, and ends requests and sessions whose credential
 * fails.
 */
export class McpEndpoint implements McpHandler {
  readonly #parts: McpEndpointParts
  readonly #handler: McpHttpHandler
  readonly #sessions: Sessions
  readonly #times: LocalTimes
  readonly #requests: OpenChannels<OpenRequest>
  readonly #stop: readonly (() => void)[]

  constructor(parts: McpEndpointParts) {
    this.#parts = parts
    this.#times = new LocalTimes(parts.timeZone, parts.clock)
    this.#handler = createMcpHandler(({ authInfo }) => mcpServer({ asked: askedBy(authInfo?.extra?.['message']) }), {
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => parts.log.debug(kindOf(error), 'An MCP request failed.'),
    })
    this.#requests = new OpenChannels({
      authenticator: parts.authenticator,
      limits: REQUEST_LIMITS,
      end: (open, failure) => this.#end(open, failure),
    })
    this.#sessions = new Sessions({
      authenticator: parts.authenticator,
      clock: parts.clock,
      random: parts.random,
      serve: () => mcpServer({ sessionElicits: true }),
    })
    this.#stop = [
      parts.accessChanges.on(() => this.#recheck()),
      every(parts.clock, RECHECK_EVERY_MS, () => {
        this.#recheck()
        this.#sessions.endIdle()
      }),
    ]
  }

  /** Answers one MCP request; its stream, if it has one, ends with the credential or with `request.signal`. */
  async answer(request: McpRequest, from: McpSender): Promise<McpAnswer> {
    try {
      const token = bearer(request.headers)
      const caller = this.#admit(token, from)
      const owner = { token, via: from.via, door: from.door, link: caller.link }
      return await this.#serve(request, owner, caller)
    } catch (error) {
      return this.#parts.dispatcher.refused(error, { ...from, token: bearer(request.headers), method: request.method })
    }
  }

  /** Checks the credential of every open request and session again. */
  #recheck(): void {
    this.#requests.recheck()
    this.#sessions.recheck()
  }

  /** Ends every request and session; the caller admits no request afterwards. */
  async stop(): Promise<void> {
    for (const each of this.#stop) each()
    for (const open of this.#requests.list()) this.#end(open, 'stopping')
    this.#sessions.endAll()
    await this.#handler.close()
  }

  /**
   * @throws Refusal as any request of this credential would get, and for keys: an agent must not borrow what needs no
   * confirmation.
   */
  #admit(token: string, from: McpSender): McpCaller {
    const { dispatcher } = this.#parts
    const identity = dispatcher.identify(token === '' ? null : token, from)
    if (identity.credential.kind === 'key') refuse('unauthorized', { message: NO_KEYS })
    const caller = new McpCaller(dispatcher, { ...from, token, identity }, this.#times)
    caller.count(1)
    if (this.#requests.full(caller.link) !== null)
      refuse('rate_limited', {
        message: 'Too many MCP requests of this credential are open at once.',
        retryAfter: 1,
      })
    return caller
  }

  async #serve(request: McpRequest, owner: RequestOwner, caller: McpCaller): Promise<McpAnswer> {
    const open: OpenRequest = { ...owner, abort: new AbortController(), ended: null }
    const { signal } = open.abort
    const left = (): void => open.abort.abort()
    request.signal.addEventListener('abort', left)
    this.#requests.add(open)
    const ended = (): void => {
      request.signal.removeEventListener('abort', left)
      this.#requests.remove(open)
    }
    try {
      if (request.signal.aborted) left()
      const answered = await this.#route(request, signal, owner, caller)
      // A credential that failed meanwhile gets no answer, however far it got.
      const end = open.ended ?? this.#requests.failureOf(owner)
      if (answered instanceof Response && end !== null) await answered.body?.cancel()
      if (end === 'stopping') refuse('overloaded', STOPPING)
      if (end !== null) throw refusalFor(end)
      if (answered instanceof Response && isEventStream(answered))
        return await answerOf(endable(answered, signal, ended))
      ended()
      return answered instanceof Response ? await answerOf(answered) : answered
    } catch (error) {
      ended()
      throw error
    }
  }

  #end(open: OpenRequest, why: NonNullable<OpenRequest['ended']>): void {
    open.ended ??= why
    this.#requests.remove(open)
    open.abort.abort()
  }

  async #route(
    request: McpRequest,
    signal: AbortSignal,
    owner: RequestOwner,
    caller: McpCaller,
  ): Promise<Response | Answer> {
    const authInfo: AuthInfo = { token: owner.token, clientId: owner.link, scopes: [], extra: { caller } }
    const asked = { request, signal, owner }
    if (request.method !== 'POST')
      return this.#inSession(asked, { authInfo }) ?? this.#handler.fetch(webRequest(request, signal), { authInfo })
    if (!isJsonContentType(request.headers.get('content-type'))) refuse('unsupported_media_type')
    const text = await request.text(BODY_BYTES_MAX)
    if (text === null) refuse('payload_too_large')
    const parsed = parseJson(text)
    if (!parsed.ok)
      return rpcError(
        400,
        PARSE_ERROR,
        parsed.error === 'too_deep' ? 'The body nests too deep.' : 'The body is not valid JSON.',
      )
    if (Array.isArray(parsed.value) && parsed.value.length > BATCH_MAX)
      return rpcError(400, INVALID_REQUEST, `At most ${BATCH_MAX} messages in one body.`)
    if (Array.isArray(parsed.value) && parsed.value.length > 1) caller.count(parsed.value.length - 1)
    const extra = { caller, message: parsed.value }
    return this.#post(asked, { authInfo: { ...authInfo, extra }, parsedBody: parsed.value })
  }

  async #post(asked: Asked, options: McpHandlerRequestOptions): Promise<Response | Answer> {
    const { request, signal, owner } = asked
    const { parsedBody } = options
    const list = preparedList(request.headers, parsedBody)
    if (list !== null) return list
    const read = webRequest(request)
    if (!(await isLegacyRequest(read, parsedBody))) return this.#handler.fetch(webRequest(request, signal), options)
    const inSession = this.#inSession(asked, options)
    if (inSession) return inSession
    const begins = isInitializeRequest(parsedBody) && elicitsByForm(parsedBody.params.capabilities)
    const begun = begins ? await this.#sessions.begin(webRequest(request, signal), owner, options) : null
    if (begun) return begun
    // Of several messages one may be cancelled by another, and then there is never a whole answer.
    return Array.isArray(parsedBody)
      ? this.#handler.fetch(webRequest(request, signal), options)
      : answerStateless(read, signal, options)
  }

  /** Null when the request names no session. */
  #inSession({ request, signal, owner }: Asked, options: McpHandlerRequestOptions): Promise<Response | Answer> | null {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return null
    return this.#sessions
      .answer(id, webRequest(request, signal), owner, options)
      .then((response) => response ?? rpcError(404, SESSION_NOT_FOUND, 'There is no such session. Initialize again.'))
  }
}

/** What of an error of the library may be logged: its message quotes headers and bodies, in which tokens stand. */
function kindOf(error: Error): { readonly kind: string; readonly code?: number } {
  const kind = error.constructor.name
  return 'code' in error && typeof error.code === 'number' ? { kind, code: error.code } : { kind }
}

/** Reads the header alone: a token in an address would be written into logs and histories. */
function bearer(headers: Headers): string {
  const header = headers.get('authorization') ?? ''
  return /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : ''
}

function rpcError(status: number, code: number, message: string): Answer {
  return rpcAnswer(status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
}
