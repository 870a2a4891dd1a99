import {
  isJSONRPCRequest,
  type McpHandlerRequestOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  LATEST_PROTOCOL_VERSION,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import { type Answer, MCP_METHODS, type McpRequest } from '../api/call.ts'
import { rpcAnswer, asEvents, isEventStream, rpcError } from './answer.ts'
import { scopeOf, listedJson, mcpServer } from './server.ts'
import { refuse } from '../api/errors.ts'
import { isObject } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import type { McpCaller } from './tools/mcp-caller.ts'
import { webRequest, type McpSessions } from './mcp-sessions.ts'
import { elicitsByForm } from './tools/tool.ts'

/** Media types of responses that a client must accept. */
interface Accepts {
  readonly json: boolean
  readonly events: boolean
}

/** Items of a list; a quoted text is one item, even without a closing quote (RFC 9110 section 5.6.4). */
const BETWEEN = {
  commas: /(?:"(?:\\[^]|[^"\\])*"?|[^",])+/g,
  semicolons: /(?:"(?:\\[^]|[^"\\])*"?|[^";])+/g,
} as const
const QUALITY = /^\s*q\s*=\s*"?([\d.]+)/i

/**
 * Evaluates the `Accept` header (RFC 9110 section 12.5.1): a missing header accepts everything, `q=0` excludes, and the
 * most specific range decides. Parameters of media types are ignored.
 */
export function acceptsOf(headers: Headers): Accepts {
  const ranges = rangesOf(headers.get('accept') ?? '')
  if (ranges.size === 0) return { json: true, events: true }
  const taken = (...specificFirst: readonly string[]): boolean =>
    specificFirst.map((range) => ranges.get(range)).find((accepted) => accepted !== undefined) ?? false
  return {
    json: taken('application/json', 'application/*', '*/*'),
    events: taken('text/event-stream', 'text/*', '*/*'),
  }
}

/** Ranges of the header, and whether each is accepted. */
function rangesOf(header: string): ReadonlyMap<string, boolean> {
  const ranges = new Map<string, boolean>()
  for (const item of header.match(BETWEEN.commas) ?? []) {
    const [, written = '', rest = ''] = /^([^;]*)(.*)$/s.exec(item) ?? []
    const range = written.trim().toLowerCase()
    const qualities = (rest.match(BETWEEN.semicolons) ?? []).flatMap((parameter) => QUALITY.exec(parameter)?.[1] ?? [])
    const isTaken = Number(qualities[0] ?? '1') !== 0
    if (range !== '') ranges.set(range, isTaken || ranges.get(range) === true)
  }
  return ranges
}

/** Status that nginx logs for a disconnected client; nobody receives it. */
const CLIENT_CLOSED_REQUEST = 499
const BEHIND = Buffer.from('}')

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Answers one request of a client of 2025 outside a session. The response is plain JSON if the client accepts it,
 * because no tool sends anything before its result and streams are slower. `signal` ends the request without a
 * response.
 */
async function answerStateless(
  request: Request,
  signal: AbortSignal,
  options: McpHandlerRequestOptions,
  { json }: Pick<Accepts, 'json'>,
): Promise<Response> {
  const server = mcpServer({ scope: scopeOf(options.parsedBody) })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: json })
  await server.connect(transport)
  // A closed transport never answers.
  const ended = aborted(signal).then(() => {
    void server.close().catch(() => {})
    return new Response(null, { status: CLIENT_CLOSED_REQUEST })
  })
  return Promise.race([transport.handleRequest(request, options), ended])
}

const CALL_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments'])
/** Start of the names of fields that newer clients and tasks add to `_meta`. */
const OF_THE_PROTOCOL = 'io.modelcontextprotocol/'

/** True for a call without a task and without the envelope of a newer client. */
function isPlainCall({ _meta = {}, ...params }: Readonly<Record<string, unknown>>): boolean {
  if (params['arguments'] !== undefined && !isObject(params['arguments'])) return false
  if (Object.keys(_meta as object).some((key) => key.startsWith(OF_THE_PROTOCOL))) return false
  return Object.keys(params).every((key) => CALL_FIELDS.has(key))
}

/**
 * Response to the list of tools, or to a call of one, for a client of 2025 without a session. The library would make a
 * server, a transport and web requests for it. Null for every other message, which the library handles.
 */
async function directAnswer(admitted: AdmittedMcpRequest, message: unknown): Promise<Answer | null> {
  const { headers } = admitted.request
  const scope = scopeOf(message)
  if (scope.kind === 'other' || !isJSONRPCRequest(message)) return null
  const version = headers.get('mcp-protocol-version')
  if (headers.has('mcp-session-id') || (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))) return null
  const { params = {} } = message
  const before = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`)
  // A cursor makes it a different request.
  if (scope.kind === 'list')
    return Object.keys(params).length > 0 ? null : rpcAnswer(200, Buffer.concat([before, listedJson(), BEHIND]))
  if (!isPlainCall(params)) return null
  const result = await Promise.race([scope.tool.call(params['arguments'], admitted.caller), aborted(admitted.signal)])
  if (result === undefined) return { status: CLIENT_CLOSED_REQUEST, headers: {}, body: null }
  return rpcAnswer(200, `${before.toString()}${JSON.stringify(result)}}`)
}

const KEEP_ALIVE_MS = 15_000
const SESSION_NOT_FOUND = -32_001
const REFUSED = -32_000
const REVISION = /^\d{4}-\d{2}-\d{2}$/

const NOT_ACCEPTABLE =
  'The header Accept allows no type of this answer. Answers are application/json, and streams text/event-stream.'
const NO_STREAM =
  'Without a session there is no stream, and this request names none. Send messages by POST, or name a session by the header Mcp-Session-Id.'
const NO_SESSION_NAMED = 'DELETE ends a session, and this request names none: send its id in the header Mcp-Session-Id.'

/** Admitted request. */
export interface AdmittedMcpRequest {
  readonly request: McpRequest
  readonly caller: McpCaller
  readonly token: string
  /** Aborts when the credential ends or the client disconnects. */
  readonly signal: AbortSignal
}

type Reply = Response | Answer

/**
 * Answers requests by their protocol revision. Requests of 2026-07-28 and most of 2025 are independent; clients of 2025
 * that can ask their user have sessions.
 */
export class Revisions {
  readonly #sessions: McpSessions
  readonly #handler: McpHttpHandler

  constructor({ sessions, log }: { readonly sessions: McpSessions; readonly log: Log }) {
    this.#sessions = sessions
    this.#handler = createMcpHandler(({ authInfo }) => mcpServer({ scope: scopeOf(authInfo?.extra?.['message']) }), {
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => log.debug(kindOf(error), 'An MCP request failed.'),
    })
  }

  /** Ends running requests. */
  close(): Promise<void> {
    return this.#handler.close()
  }

  /** Opens the stream of a session. */
  async listen(admitted: AdmittedMcpRequest): Promise<Reply> {
    const { request, caller, signal } = admitted
    const id = sessionIn(request)
    if (id === null) return noStream()
    if (!acceptsOf(request.headers).events) return notAcceptable()
    if (this.#sessions.isFull(id, caller.link))
      refuse('rate_limited', { message: 'Too many streams of MCP sessions are open.', retryAfter: 60 })
    return (
      (await this.#sessions.answer(id, webRequest(request, signal), caller.link, optionsOf(admitted))) ?? noSession()
    )
  }

  /** Ends a session at its client's request. */
  end({ request, caller }: AdmittedMcpRequest): Reply {
    const id = sessionIn(request)
    if (id === null) return rpcError(400, REFUSED, NO_SESSION_NAMED)
    return this.#sessions.end(id, caller.link) ? { status: 200, headers: {}, body: null } : noSession()
  }

  /** Answers a POST with this JSON body. */
  async post(admitted: AdmittedMcpRequest, body: unknown): Promise<Reply> {
    const { request, signal } = admitted
    const accepts = acceptsOf(request.headers)
    if (!accepts.json && !accepts.events) return notAcceptable()
    const direct = accepts.json ? await directAnswer(admitted, body) : null
    if (direct !== null) return direct
    const read = webRequest(request)
    if (await isLegacyRequest(read, body)) return this.#legacy(admitted, body, { accepts, read })
    return inForm(await this.#handler.fetch(webRequest(request, signal), optionsOf(admitted, body)), accepts)
  }

  /** @param read the request without the signal that ends it */
  async #legacy(
    admitted: AdmittedMcpRequest,
    body: unknown,
    { accepts, read }: { readonly accepts: Accepts; readonly read: Request },
  ): Promise<Reply> {
    const { request, caller, signal } = admitted
    const options = optionsOf(admitted, body)
    const id = sessionIn(request)
    if (id !== null && !this.#sessions.has(id, caller.link)) return noSession()
    // Without a stream the client would never receive a question.
    const isAlone = !accepts.events && messagesOf(body).some(isJSONRPCRequest)
    if (id !== null && !isAlone)
      return (await this.#sessions.answer(id, webRequest(request, signal), caller.link, options)) ?? noSession()
    if (!isAlone && isInitializeRequest(body) && elicitsByForm(body.params.capabilities))
      return this.#sessions.begin(webRequest(request, signal), caller.link, revisionOf(body), options)
    // One message may cancel another, and then a combined response is never complete.
    if (Array.isArray(body) && accepts.events) return this.#handler.fetch(webRequest(request, signal), options)
    return answerStateless(read, signal, { ...options, parsedBody: uncancelled(body) }, accepts)
  }
}

const sessionIn = ({ headers }: McpRequest): string | null => headers.get('mcp-session-id')

const messagesOf = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body])

/** A batch without its cancellations, which a server may ignore. */
function uncancelled(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  return body.filter((message) => (message as { method?: unknown } | null)?.method !== 'notifications/cancelled')
}

function revisionOf(body: unknown): string {
  const requested = isInitializeRequest(body) ? body.params.protocolVersion : ''
  return REVISION.test(requested) ? requested : LATEST_PROTOCOL_VERSION
}

/** The caller is part of each request, because a session's server handles many. */
function optionsOf({ token, caller }: AdmittedMcpRequest, body?: unknown): McpHandlerRequestOptions {
  const authInfo: AuthInfo = { token, clientId: caller.link, scopes: [], extra: { caller, message: body } }
  return body === undefined ? { authInfo } : { authInfo, parsedBody: body }
}

/** Response in a form that the client accepts; refusals are always JSON. */
async function inForm(reply: Response, accepts: Accepts): Promise<Reply> {
  if (!isEventStream(reply)) return accepts.json || !reply.ok ? reply : asEvents(reply)
  if (accepts.events) return reply
  await reply.body?.cancel()
  return notAcceptable()
}

const notAcceptable = (): Answer => rpcError(406, REFUSED, NOT_ACCEPTABLE)
const noSession = (): Answer => rpcError(404, SESSION_NOT_FOUND, 'There is no such session. Initialize again.')

/** Clients without a session expect 405 if there is no stream, and treat other statuses as errors. */
function noStream(): Answer {
  const refusal = rpcError(405, REFUSED, NO_STREAM)
  return { ...refusal, headers: { ...refusal.headers, allow: MCP_METHODS.join(', ') } }
}

/** Loggable part of a library error, whose message may quote headers and bodies with tokens. */
function kindOf(error: Error): { readonly kind: string; readonly code?: number } {
  const kind = error.constructor.name
  return 'code' in error && typeof error.code === 'number' ? { kind, code: error.code } : { kind }
}
