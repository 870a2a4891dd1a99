import {
  type McpHandlerRequestOptions,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type ChannelLimits, OpenChannels, type OpenChannelsParts } from '../auth/open-channels.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { endable, type RequestOwner } from './open-requests.ts'

export const SESSION_LIMITS: ChannelLimits = { all: 64, perCredential: 8 }
export const SESSION_IDLE_MS = 10 * 60_000

interface Session extends Omit<RequestOwner, 'token'> {
  /** The one shown last: those of hosted platforms follow one another within a session. */
  token: string
  readonly id: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer
  /** Requests under way, streams included; with any, it is not idle. */
  open: number
  idleSince: number
}

export interface SessionsParts extends Pick<OpenChannelsParts<Session>, 'authenticator'> {
  readonly clock: Clock
  readonly random: Random
  /** Makes the server of a session whose client can be asked. */
  readonly serve: () => McpServer
}

/**
 * Sessions of clients of 2025 that can ask their user something: the question goes to the client as a request of its
 * own, so both must belong to one session. Every other client is served without one. A session belongs to one
 * credential (docs/agents.md#mcp).
 */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #sessions: OpenChannels<Session>

  constructor(parts: SessionsParts) {
    this.#parts = parts
    this.#sessions = new OpenChannels({
      authenticator: parts.authenticator,
      limits: SESSION_LIMITS,
      // Whoever has the next token goes on with the session; requests under way end by themselves.
      end: (session, failure) => {
        if (failure !== 'token_expired') this.#end(session)
      },
    })
  }

  get count(): number {
    return this.#sessions.size
  }

  /** Answers an `initialize` with a session, or null when there is no room: then the client is served without one. */
  async begin(request: Request, owner: RequestOwner, options: McpHandlerRequestOptions): Promise<Response | null> {
    this.#makeRoom(owner.link)
    if (this.#sessions.full(owner.link) !== null) return null
    const id = this.#parts.random.uuid()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(session),
    })
    const idleSince = this.#parts.clock.monotonic()
    const session: Session = { ...owner, id, transport, server: this.#parts.serve(), open: 0, idleSince }
    this.#sessions.add(session)
    await session.server.connect(transport)
    const response = await this.#handle(session, request, options)
    if (!response.ok) this.#end(session)
    return response
  }

  /** Answers a request of a session; null when this credential has no such session. */
  async answer(
    id: string,
    request: Request,
    { link, token }: RequestOwner,
    options: McpHandlerRequestOptions,
  ): Promise<Response | null> {
    const session = this.#sessions.of(link).find((each) => each.id === id)
    if (!session) return null
    session.token = token
    return this.#handle(session, request, options)
  }

  endIdle(): void {
    const now = this.#parts.clock.monotonic()
    for (const session of this.#sessions.list())
      if (session.open === 0 && now - session.idleSince >= SESSION_IDLE_MS) this.#end(session)
  }

  /** Ends the sessions whose credential fails. */
  recheck(): void {
    this.#sessions.recheck()
  }

  endAll(): void {
    for (const session of this.#sessions.list()) this.#end(session)
  }

  async #handle(session: Session, request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    session.open += 1
    const done = (): void => {
      session.open -= 1
      session.idleSince = this.#parts.clock.monotonic()
    }
    try {
      return endable(await session.transport.handleRequest(request, options), request.signal, done)
    } catch (error) {
      done()
      throw error
    }
  }

  /** A client that comes back without having ended its sessions takes the place of its own oldest one. */
  #makeRoom(link: string): void {
    const own = this.#sessions.of(link)
    if (own.length < SESSION_LIMITS.perCredential) return
    const [oldest] = own.toSorted((a, b) => a.open - b.open || a.idleSince - b.idleSince)
    if (oldest) this.#end(oldest)
  }

  #end(session: Session): void {
    if (!this.#sessions.remove(session)) return
    // Closing the server closes its transport, and with it every stream of the session.
    void session.server.close().catch(() => {})
  }
}
