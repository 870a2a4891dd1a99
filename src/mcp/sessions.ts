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

/** The host was checked before, so the address holds no text of the client. */
const ADDRESS = 'https://localhost/mcp'
/** The library insists on both for a POST; the endpoint has read the client's own header. */
const BOTH = 'application/json, text/event-stream'

/** A request as the library takes it; its body was read already. */
export function webRequest({ method, headers }: Pick<McpRequest, 'method' | 'headers'>, signal?: AbortSignal): Request {
  const request = new Request(ADDRESS, { method, headers, ...(signal && { signal }) })
  request.headers.set('accept', BOTH)
  return request
}

/** Requests under way at once, streams included: a client has few, and each holds a connection anyway. */
export const REQUEST_LIMITS: ChannelLimits = { all: 256, perCredential: 32 }

/** Who sends a request of the protocol. */
export interface RequestOwner extends ChannelOwner {
  readonly token: string
  readonly audience: TokenAudience
}

/** A request that is being answered, its stream included; aborting it ends both. */
export interface OpenRequest extends RequestOwner {
  readonly abort: AbortController
  /** Why the gateway ended it; null unless it did. */
  ended: AuthFailure | 'stopping' | null
}

/**
 * The response with a body that ends when `signal` is aborted; `ended` is called once the body has ended for whatever
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
        // A reader that is cancelled is done.
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

/** Sessions in memory that no request uses; the one that rested longest goes first. */
export const RESTING_SESSIONS_MAX = 64
/** A session that no request used for so long is dropped from memory. Its id stays good. */
export const SESSION_IDLE_MS = 10 * 60_000
/** Streams that clients open with GET: each holds a connection, and no message needs one. */
export const SESSION_STREAM_LIMITS: ChannelLimits = { all: 64, perCredential: 8 }

/** A session in memory. */
interface Session {
  readonly id: string
  readonly link: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer
  /** Resolves once the session takes requests. */
  readonly ready: Promise<void>
  /** Requests under way, streams included. */
  open: number
  streams: number
  idleSince: number
}

export interface SessionsParts {
  readonly ids: Pick<AgentSessions, 'begin' | 'revisionOf' | 'end'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Makes the server of a session whose client answers questions. */
  readonly serve: () => McpServer
}

/**
 * Sessions of clients of 2025 that can ask their user something. The question is a request to the client and its answer
 * another request of the client, so one session connects both. A session lives as long as its credential; only requests
 * under way need it in memory, and an id wakes it (docs/agents.md#mcp).
 */
export class Sessions {
  readonly #parts: SessionsParts
  /** The sessions in memory by id; the one that was used last comes last. */
  readonly #awake = new Map<string, Session>()

  constructor(parts: SessionsParts) {
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

  /** Whether the credential has a session of this id. */
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

  /** Whether so many streams are open that this session gets no further one. */
  isFull(id: string, link: string): boolean {
    const others = [...this.#awake.values()].filter((session) => session.id !== id && session.streams > 0)
    const own = others.filter((session) => session.link === link)
    return others.length >= SESSION_STREAM_LIMITS.all || own.length >= SESSION_STREAM_LIMITS.perCredential
  }

  /** Ends a session for good; false if the credential has no such session. @throws StorageUnavailable */
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

  /** @param revision of a session that its client has begun already. */
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
      // A client that lost its connection opens the next stream before anyone notices that the last one is dead.
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

/** Brings a session back into the state in which its client began it. */
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
