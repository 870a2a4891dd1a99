import type { McpRequest } from '../api/call.ts'
import type { AuthFailure } from '../auth/authenticator.ts'
import type { TokenAudience } from '../auth/credentials/credentials.ts'
import type { ChannelLimits, ChannelOwner } from '../auth/open-channels.ts'
import {
  type McpHandlerRequestOptions,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { AgentSessions } from '../auth/agents/agent-sessions.ts'
import type { Clock } from '../lib/clock.ts'

/** The host was already checked, so the URL contains no text of the client. */
const ADDRESS = 'https://localhost/mcp'
/** The library requires both for a POST; the endpoint has evaluated the client's own header. */
const BOTH = 'application/json, text/event-stream'

/** Request for the library; its body is already read. */
export function webRequest({ method, headers }: Pick<McpRequest, 'method' | 'headers'>, signal?: AbortSignal): Request {
  const request = new Request(ADDRESS, { method, headers, ...(signal && { signal }) })
  request.headers.set('accept', BOTH)
  return request
}

/** Most concurrent requests, including streams. A client has few, and each holds a connection anyway. */
export const REQUEST_LIMITS: ChannelLimits = { all: 256, perCredential: 32 }

/** Sender of an MCP request. */
export interface RequestOwner extends ChannelOwner {
  readonly token: string
  readonly audience: TokenAudience
}

/** A running request with its stream; aborting ends both. */
export interface OpenRequest extends RequestOwner {
  readonly abort: AbortController
  /** Reason if the gateway ended it, else null. */
  ended: AuthFailure | 'stopping' | null
}

/**
 * Wraps a response so that its body ends when `signal` aborts; `ended` is called once, when the body ends for any
 * reason.
 */
export function endable(response: Response, signal: AbortSignal, ended: () => void): Response {
  if (response.body === null) {
    ended()
    return response
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
  const stop = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const finish = (): void => {
    signal.removeEventListener('abort', stop)
    ended()
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        // A cancelled reader needs no further data.
        const piece = await reader.read()
        if (!piece.done) return controller.enqueue(piece.value)
        finish()
        controller.close()
      } catch (error) {
        finish()
        controller.error(error)
      }
    },
    cancel: () => {
      finish()
      stop()
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Most idle sessions in memory; the longest idle is dropped first. */
export const RESTING_SESSIONS_MAX = 64
/** Idle time after which a session is dropped from memory. Its id stays valid. */
export const SESSION_IDLE_MS = 10 * 60_000
/** Most streams opened with GET; each holds a connection, and no message needs one. */
export const SESSION_STREAM_LIMITS: ChannelLimits = { all: 64, perCredential: 8 }

/** A session in memory. */
interface Session {
  readonly id: string
  readonly link: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer
  /** Resolves once the session accepts requests. */
  readonly ready: Promise<void>
  /** Number of running requests, including streams. */
  open: number
  streams: number
  idleSince: number
}

export interface McpSessionsParts {
  readonly ids: Pick<AgentSessions, 'begin' | 'revisionOf' | 'end'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Creates the server of a session. */
  readonly serve: () => McpServer
}

/**
 * Sessions of clients of 2025 that can ask their user. The server's question and the client's answer are separate
 * requests, so a session connects them. A session lives as long as its credential. Only running requests need it in
 * memory; its id restores it (docs/agents.md#mcp).
 */
export class McpSessions {
  readonly #parts: McpSessionsParts
  /** Sessions in memory by id, in order of their last use. */
  readonly #awake = new Map<string, Session>()

  constructor(parts: McpSessionsParts) {
    this.#parts = parts
  }

  /** Number of sessions in memory. */
  get count(): number {
    return this.#awake.size
  }

  /** Answers an `initialize` of this protocol revision with a new session. */
  async begin(request: Request, link: string, revision: string, options: McpHandlerRequestOptions): Promise<Response> {
    const session = this.#wake(this.#parts.ids.begin(link, revision), link, null)
    const response = await this.#handle(session, request, options)
    if (!response.ok) this.#rest(session)
    return response
  }

  /** True if the credential has a session with this id. */
  has(id: string, link: string): boolean {
    return this.#parts.ids.revisionOf(link, id) !== null
  }

  /** Answers a request of a session; null if the credential has no such session. */
  async answer(
    id: string,
    request: Request,
    link: string,
    options: McpHandlerRequestOptions,
  ): Promise<Response | null> {
    const revision = this.#parts.ids.revisionOf(link, id)
    if (revision === null) return null
    return this.#handle(this.#awake.get(id) ?? this.#wake(id, link, revision), request, options)
  }

  /** True if this session may open no further stream. */
  isFull(id: string, link: string): boolean {
    const otherSessions = [...this.#awake.values()].filter((session) => session.id !== id && session.streams > 0)
    const own = otherSessions.filter((session) => session.link === link)
    return otherSessions.length >= SESSION_STREAM_LIMITS.all || own.length >= SESSION_STREAM_LIMITS.perCredential
  }

  /** Ends a session permanently; false if the credential has no such session. @throws StorageUnavailable */
  end(id: string, link: string): boolean {
    if (!this.has(id, link)) return false
    this.#parts.ids.end(link, id)
    const session = this.#awake.get(id)
    if (session) this.#rest(session)
    return true
  }

  /** Frees the memory of idle sessions. */
  restIdle(): void {
    const now = this.#parts.clock.monotonic()
    const resting = [...this.#awake.values()].filter(({ open }) => open === 0)
    const tooMany = resting.length - RESTING_SESSIONS_MAX
    for (const [index, session] of resting.entries())
      if (index < tooMany || now - session.idleSince >= SESSION_IDLE_MS) this.#rest(session)
  }

  /** Frees all memory. */
  restAll(): void {
    for (const session of this.#awake.values()) this.#rest(session)
  }

  /** @param revision of an existing session that is restored */
  #wake(id: string, link: string, revision: string | null): Session {
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
    const server = this.#parts.serve()
    const ready = server
      .connect(transport)
      .then(() => (revision === null ? undefined : initialized(transport, revision)))
    const session = { id, link, transport, server, ready, open: 0, streams: 0, idleSince: 0 }
    this.#awake.set(id, session)
    return session
  }

  async #handle(session: Session, request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const streams = request.method === 'GET' ? 1 : 0
    session.open += 1
    session.streams += streams
    const done = (): void => {
      session.open -= 1
      session.streams -= streams
      this.#used(session)
    }
    try {
      await session.ready
      // A client that lost its connection opens a new stream before the loss of the old one is noticed.
      if (streams > 0) session.transport.closeStandaloneSSEStream()
      return endable(await session.transport.handleRequest(request, options), request.signal, done)
    } catch (error) {
      done()
      throw error
    }
  }

  #used(session: Session): void {
    if (this.#awake.get(session.id) !== session) return
    session.idleSince = this.#parts.clock.monotonic()
    this.#awake.delete(session.id)
    this.#awake.set(session.id, session)
    this.restIdle()
  }

  #rest(session: Session): void {
    if (this.#awake.get(session.id) !== session) return
    this.#awake.delete(session.id)
    // Closing the server closes its transport, and with it every stream of the session.
    void session.server.close().catch(() => {})
  }
}

/** Restores the state of a session after its client's `initialize`. */
async function initialized(transport: WebStandardStreamableHTTPServerTransport, revision: string): Promise<void> {
  const parsedBody = {
    jsonrpc: '2.0',
    id: 'wake',
    method: 'initialize',
    params: {
      protocolVersion: revision,
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: 'client', version: '0' },
    },
  }
  const headers = new Headers({ 'content-type': 'application/json' })
  const request = webRequest({ method: 'POST', headers })
  const response = await transport.handleRequest(request, { parsedBody })
  await response.text()
  if (!response.ok) throw new Error(`A session of ${revision} could not be woken: ${response.status}.`)
}
