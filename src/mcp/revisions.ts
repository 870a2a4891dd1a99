import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  LATEST_PROTOCOL_VERSION,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import type { Answer } from '../api/call.ts'
import { refuse } from '../api/errors.ts'
import { MCP_METHODS, type McpRequest } from '../api/mcp-call.ts'
import type { Log } from '../lib/log.ts'
import { type Accepts, acceptsOf } from './accepts.ts'
import { asEvents, isEventStream, rpcError } from './answer.ts'
import type { McpCaller } from './caller.ts'
import { webRequest } from './request.ts'
import { askedBy, mcpServer } from './server.ts'
import type { Sessions } from './sessions.ts'
import { answerStateless, preparedList } from './stateless.ts'
import { elicitsByForm } from './tool.ts'

const KEEP_ALIVE_MS = 15_000
const SESSION_NOT_FOUND = -32_001
const REFUSED = -32_000
const REVISION = /^\d{4}-\d{2}-\d{2}$/

const NOT_ACCEPTABLE =
  'The header Accept takes no form of this answer. Answers are application/json, and streams text/event-stream.'
const NO_STREAM =
  'Without a session there is no stream, and this request names none. Send messages by POST, or name a session by the header Mcp-Session-Id.'
const NO_SESSION_NAMED = 'DELETE ends a session, and this request names none: send its id in the header Mcp-Session-Id.'

/** A request whose caller was admitted. */
export interface Admitted {
  readonly request: McpRequest
  readonly caller: McpCaller
  readonly token: string
  /** Ends the request with the credential, or when the client leaves. */
  readonly signal: AbortSignal
}

type Reply = Response | Answer

/**
 * Answers requests by the protocol revision of their client: those of 2026-07-28 and most of 2025 stand alone, and
 * clients of 2025 that answer questions have sessions.
 */
export class Revisions {
  readonly #sessions: Sessions
  readonly #handler: McpHttpHandler

  constructor({ sessions, log }: { readonly sessions: Sessions; readonly log: Log }) {
    this.#sessions = sessions
    this.#handler = createMcpHandler(({ authInfo }) => mcpServer({ asked: askedBy(authInfo?.extra?.['message']) }), {
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => log.debug(kindOf(error), 'An MCP request failed.'),
    })
  }

  /** Ends the requests that are under way. */
  close(): Promise<void> {
    return this.#handler.close()
  }

  /** Opens the stream of a session. */
  async listen(admitted: Admitted): Promise<Reply> {
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

  /** Ends a session at the wish of its client. */
  end({ request, caller }: Admitted): Reply {
    const id = sessionIn(request)
    if (id === null) return rpcError(400, REFUSED, NO_SESSION_NAMED)
    return this.#sessions.end(id, caller.link) ? { status: 200, headers: {}, body: null } : noSession()
  }

  /** Answers a POST with this body, which is JSON. */
  async post(admitted: Admitted, body: unknown): Promise<Reply> {
    const { request, signal } = admitted
    const accepts = acceptsOf(request.headers)
    if (!accepts.json && !accepts.events) return notAcceptable()
    const list = accepts.json ? preparedList(request.headers, body) : null
    if (list !== null) return list
    const read = webRequest(request)
    if (await isLegacyRequest(read, body)) return this.#legacy(admitted, body, { accepts, read })
    return inForm(await this.#handler.fetch(webRequest(request, signal), optionsOf(admitted, body)), accepts)
  }

  /** @param read the request without the signal that ends it */
  async #legacy(
    admitted: Admitted,
    body: unknown,
    { accepts, read }: { readonly accepts: Accepts; readonly read: Request },
  ): Promise<Reply> {
    const { request, caller, signal } = admitted
    const options = optionsOf(admitted, body)
    const id = sessionIn(request)
    if (id !== null && !this.#sessions.has(id, caller.link)) return noSession()
    // Without a stream the client would never hear a question.
    const isAlone = !accepts.events && messagesOf(body).some(isJSONRPCRequest)
    if (id !== null && !isAlone)
      return (await this.#sessions.answer(id, webRequest(request, signal), caller.link, options)) ?? noSession()
    if (!isAlone && isInitializeRequest(body) && elicitsByForm(body.params.capabilities))
      return this.#sessions.begin(webRequest(request, signal), caller.link, revisionOf(body), options)
    // One of several messages may cancel another, and then an answer in one piece is never complete.
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
  const wanted = isInitializeRequest(body) ? body.params.protocolVersion : ''
  return REVISION.test(wanted) ? wanted : LATEST_PROTOCOL_VERSION
}

/** The caller travels with each request: a server of a session serves many. */
function optionsOf({ token, caller }: Admitted, body?: unknown): McpHandlerRequestOptions {
  const authInfo: AuthInfo = { token, clientId: caller.link, scopes: [], extra: { caller, message: body } }
  return body === undefined ? { authInfo } : { authInfo, parsedBody: body }
}

/** A reply in a form that the client takes; refusals are JSON for every client. */
async function inForm(reply: Response, accepts: Accepts): Promise<Reply> {
  if (!isEventStream(reply)) return accepts.json || !reply.ok ? reply : asEvents(reply)
  if (accepts.events) return reply
  await reply.body?.cancel()
  return notAcceptable()
}

const notAcceptable = (): Answer => rpcError(406, REFUSED, NOT_ACCEPTABLE)
const noSession = (): Answer => rpcError(404, SESSION_NOT_FOUND, 'There is no such session. Initialize again.')

/** Clients without a session take 405 for the lack of a stream, and any other status for an error. */
function noStream(): Answer {
  const refusal = rpcError(405, REFUSED, NO_STREAM)
  return { ...refusal, headers: { ...refusal.headers, allow: MCP_METHODS.join(', ') } }
}

/** The loggable part of an error of the library: its message quotes headers and bodies with tokens in them. */
function kindOf(error: Error): { readonly kind: string; readonly code?: number } {
  const kind = error.constructor.name
  return 'code' in error && typeof error.code === 'number' ? { kind, code: error.code } : { kind }
}
