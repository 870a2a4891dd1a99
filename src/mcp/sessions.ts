import {
  type McpHandlerRequestOptions,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { endable, type ExchangeOwner } from './exchanges.ts'

export const SESSIONS_MAX = 64
export const CREDENTIAL_SESSIONS_MAX = 8
export const SESSION_IDLE_MS = 10 * 60_000

interface Session {
  readonly owner: ExchangeOwner
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer
  /** Requests under way, streams included; with any, it is not idle. */
  open: number
  idleSince: number
}

/**
 * Sessions of clients of 2025 that can ask their user something: the question goes to the client as a request of its own, so both
 * must belong to the same talk. Every other client is served without one. A session belongs to one credential (D10).
 */
export class Sessions {
  readonly #clock: Clock
  readonly #random: Random
  readonly #serve: () => McpServer
  readonly #sessions = new Map<string, Session>()

  /** @param parts.serve makes the server of a session whose client can be asked. */
  constructor(parts: { clock: Clock; random: Random; serve: () => McpServer }) {
    this.#clock = parts.clock
    this.#random = parts.random
    this.#serve = parts.serve
  }

  get count(): number {
    return this.#sessions.size
  }

  /** Answers an `initialize` with a session, or null when there is no room: then the client is served without one. */
  async begin(request: Request, owner: ExchangeOwner, options: McpHandlerRequestOptions): Promise<Response | null> {
    this.#makeRoom(owner.link)
    if (this.#sessions.size >= SESSIONS_MAX) return null
    const id = this.#random.uuid()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: (ended) => this.#end(ended),
    })
    const session: Session = { owner, transport, server: this.#serve(), open: 0, idleSince: this.#clock.monotonic() }
    this.#sessions.set(id, session)
    await session.server.connect(transport)
    const response = await this.#handle(session, request, options)
    if (!response.ok) this.#end(id)
    return response
  }

  /** Answers a request of a session; null when this credential has no such session. */
  async answer(
    id: string,
    request: Request,
    { link }: ExchangeOwner,
    options: McpHandlerRequestOptions,
  ): Promise<Response | null> {
    const session = this.#sessions.get(id)
    return session?.owner.link === link ? this.#handle(session, request, options) : null
  }

  endIdle(): void {
    const now = this.#clock.monotonic()
    this.endWhere(({ open, idleSince }) => open === 0 && now - idleSince >= SESSION_IDLE_MS)
  }

  endWhere(over: (session: Pick<Session, 'owner' | 'open' | 'idleSince'>) => boolean): void {
    for (const [id, session] of this.#sessions) if (over(session)) this.#end(id)
  }

  async #handle(session: Session, request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    session.open += 1
    const done = (): void => {
      session.open -= 1
      session.idleSince = this.#clock.monotonic()
    }
    try {
      return endable(await session.transport.handleRequest(request, options), request.signal, done)
    } catch (error) {
      done()
      throw error
    }
  }

  /** A client that comes back without having said goodbye takes the place of its own oldest session. */
  #makeRoom(link: string): void {
    const own = [...this.#sessions].filter(([, session]) => session.owner.link === link)
    const oldest = own.toSorted(([, a], [, b]) => a.open - b.open || a.idleSince - b.idleSince)[0]
    if (oldest && own.length >= CREDENTIAL_SESSIONS_MAX) this.#end(oldest[0])
  }

  #end(id: string): void {
    const session = this.#sessions.get(id)
    if (!session) return
    this.#sessions.delete(id)
    // Closing the server closes its transport, and with it every stream of the session.
    void session.server.close().catch(() => {})
  }
}
