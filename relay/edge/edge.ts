import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { acceptsGzip, type Gzipped } from '@hm-gateway/lib/gzipped.ts'
import { bearer, bearerChallenge, isAborted, isRepeated, originForm } from '@hm-gateway/lib/request-head.ts'
import { peerOf } from '../limits/connections.ts'
import { RelayUnavailable, UNAVAILABLE_RETRY_SECONDS } from '../model/unavailable.ts'
import { ABOUT } from './about.ts'
import { type Destination, forward, type ForwardParts } from './forward.ts'
import { answersTo, isOwnOrigin } from './hosts.ts'
import { type EdgeLimits, type LimitedRequest, Limits } from './limits.ts'
import { pairing } from './pairing.ts'
import { Passthrough } from './passthrough.ts'
import { hasBegun, ConnectionRequests } from './connection-requests.ts'
import { refuse } from './refusals.ts'
import { type LoggedRequest, requestLog, type RequestLogParts } from './request-log.ts'
import { type RequestTarget, addressOf, gatewayOf, streamToken } from './routing.ts'
import { refusalResponse, connectStream } from './stream-upgrade.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** The relay's own pages and its authorization server. */
export interface WebHandler {
  owns(path: string): boolean
  /** Responds to a request whose path it owns. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** `WWW-Authenticate` of a 401 to an agent. */
  challenge(audience: string, token: string | null): string
}

export interface EdgeParts extends ForwardParts, Pick<RelayParts, 'clock' | 'log'> {
  /** Host names of the relay, in lower case; IPv6 addresses without brackets. */
  readonly names: () => readonly string[]
  readonly web: WebHandler
  readonly routes: RequestLogParts['routes']
  /** Public documents by path. */
  readonly documents: Readonly<Record<string, () => Gzipped>>
  /** For load tests only. */
  readonly limits?: EdgeLimits
}

/**
 * Makes browsers use HTTPS for a year (RFC 6797), but does not bind other hosts of the domain. Responses of homes have
 * it too; otherwise its absence would show whether the relay or a home refused a token.
 */
export const HSTS = ['strict-transport-security', 'max-age=31536000'] as const

/** Path of the MCP endpoint, of the whole home or of one integration; a trailing slash is allowed. */
const MCP_PATH = /^\/(mcp(?:\/r\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)\/?$/

/** Handles clients' requests: checks everything that needs no home, and sends them to the home of their token. */
export class Edge {
  /** Handles connections whose TLS ends at a gateway. */
  readonly passthrough: Passthrough
  readonly #parts: EdgeParts
  readonly #limits: Limits
  readonly #startLog: ReturnType<typeof requestLog>
  readonly #logged = new WeakMap<IncomingMessage, LoggedRequest>()
  readonly #connectionRequests = new ConnectionRequests()

  constructor(parts: EdgeParts) {
    this.#parts = parts
    this.#startLog = requestLog(parts)
    this.#limits = new Limits(parts.clock, parts.limits)
    this.passthrough = new Passthrough({ ...parts, limits: this.#limits })
  }

  /** Responds to one request; never rejects. */
  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => response.destroy())
    response.on('error', () => response.destroy())
    originForm(request)
    response.setHeader(...HSTS)
    const logged = this.#begin(request)
    response.once('close', () => logged.ended(hasBegun(response) ? response.statusCode : 0))
    try {
      await this.#request(request, response)
    } catch (error) {
      this.#failed(error, request, () => response)
    }
  }

  /** Connects one WebSocket, or responds with an error; never rejects. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const address = addressOf(request)
    const { token, query } = streamToken(request, address)
    const logged = this.#begin(request)
    let status = 0
    socket.once('close', () => logged.ended(status))
    const refusal = (): ServerResponse => {
      const response = refusalResponse(request, socket)
      response.setHeader(...HSTS)
      response.once('finish', () => {
        status = response.statusCode
      })
      return response
    }
    const onConnected = (): void => {
      status = 101
    }
    try {
      if (this.#refused(request, refusal)) return
      const destination = this.#serviceDestination(request, token, `${address.path}${query}`, refusal)
      if (destination !== null)
        await connectStream({ request, socket, head, refusal, onConnected }, destination, this.#parts)
    } catch (error) {
      this.#failed(error, request, refusal)
    }
  }

  #begin(request: IncomingMessage): LoggedRequest {
    const logged = this.#startLog(request)
    this.#logged.set(request, logged)
    return logged
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#connectionRequests.add(request, response)) return refuseAndClose(response)
    if (this.#refused(request, () => response)) return
    const address = addressOf(request)
    const { path } = address
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const document = this.#parts.documents[path]
    if (document !== undefined)
      return await (isRead ? sendDocument(request, response, document()) : refuseMethod(response))
    if (path === '/v1/about' && isRead) return sendText(request, response, ABOUT)
    if (request.method === 'POST' && (path === '/v1/pair' || path === '/v1/pair/token'))
      return await this.#pair(request, response, address)
    const audience = MCP_PATH.exec(path)?.[1]
    if (audience !== undefined) return await this.#agent(request, response, audience)
    if (isForHome(request)) return await this.#service(request, response, address)
    if (this.#parts.web.owns(path)) return await this.#parts.web.handle(request, response)
    // With a token, the home decides: it may normalise the path in another way.
    if (gatewayOf(bearer(request)) !== null) return await this.#service(request, response, address)
    refuse(response, 'not_found', {
      details: { message: 'There is no such path. GET /v1/about says where the documents are.' },
    })
  }

  async #service(request: IncomingMessage, response: ServerResponse, { path, query }: RequestTarget): Promise<void> {
    const destination = this.#serviceDestination(request, bearer(request), `${path}${query}`, () => response)
    if (destination !== null) await forward(request, response, destination, this.#parts)
  }

  /** Refuses a request for another host, from another site's page or above the rate limit; returns true if it did. */
  #refused(request: IncomingMessage, response: () => ServerResponse): boolean {
    const { names } = this.#parts
    const { host, origin } = request.headers
    // RFC 9112 section 3.2 requires 400. HTTP/1.0 allows a missing Host, which is then not a name of this relay.
    if (host === undefined && request.httpVersion === '1.1') {
      refuse(response(), 'validation', { status: 400, details: { message: 'The Host header is missing.' } })
      return true
    }
    if (!answersTo(names, host) || isRepeated(request, 'host')) {
      refuse(response(), 'misdirected_request', {
        details: { message: 'This relay does not serve that host name.' },
        headers: { connection: 'close' },
      })
      return true
    }
    // Pages and sign-in have their own CORS rules.
    if (origin !== undefined && isForHome(request) && !isOwnOrigin(names, origin)) {
      refuse(response(), 'origin_not_allowed')
      return true
    }
    const retryAfter = this.#limits.request(peerOf(request))
    if (retryAfter > 0) refuse(response(), 'rate_limited', { details: { retryAfter } })
    return retryAfter > 0
  }

  /** Destination of a token; null if the request was refused. */
  #serviceDestination(
    request: IncomingMessage,
    token: string | null,
    path: string,
    response: () => ServerResponse,
  ): Destination | null {
    const gateway = gatewayOf(token)
    const peer = peerOf(request)
    if (gateway === null) return this.#unauthorized(peer, response(), bearerChallenge(token))
    if (this.#limited(request, { gateway, token, peer }, response)) return null
    return { gateway, authority: 'api', path, token, peer, ...this.#callbacks(token, () => bearerChallenge(token)) }
  }

  async #agent(request: IncomingMessage, response: ServerResponse, audience: string): Promise<void> {
    const { web } = this.#parts
    const token = bearer(request)
    const gateway = gatewayOf(token)
    const peer = peerOf(request)
    if (gateway === null) return void this.#unauthorized(peer, response, web.challenge(audience, token))
    if (this.#limited(request, { gateway, token, peer }, () => response)) return
    const callbacks = this.#callbacks(token, () => web.challenge(audience, token))
    const destination = { gateway, authority: 'mcp', path: `/${audience}`, token, peer, ...callbacks } as const
    await forward(request, response, destination, this.#parts)
  }

  async #pair(request: IncomingMessage, response: ServerResponse, { path, query }: RequestTarget): Promise<void> {
    const route = await pairing(request, response, path)
    if (route === null) return
    const { gateway, body } = route
    const peer = peerOf(request)
    if (this.#limited(request, { gateway, token: null, peer }, () => response)) return
    const destination = { gateway, authority: 'api', path: `${path}${query}`, token: null, peer, body } as const
    const callbacks = this.#callbacks(null, () => bearerChallenge(null))
    await forward(request, response, { ...destination, ...callbacks }, this.#parts)
  }

  #callbacks(token: string | null, challenge: () => string): Pick<Destination, 'challenge' | 'onStatus'> {
    return { challenge, onStatus: (status) => this.#limits.noteStatus(token, status) }
  }

  #unauthorized(peer: string, response: ServerResponse, challenge: string): null {
    const retryAfter = this.#limits.failed(peer)
    if (retryAfter > 0) refuse(response, 'rate_limited', { details: { retryAfter } })
    else refuse(response, 'unauthorized', { headers: { 'www-authenticate': challenge } })
    return null
  }

  #limited(request: IncomingMessage, limited: LimitedRequest, response: () => ServerResponse): boolean {
    const logged = this.#logged.get(request)
    if (logged) logged.gateway = limited.gateway
    const retryAfter = this.#limits.home(limited)
    if (retryAfter > 0) refuse(response(), 'rate_limited', { details: { retryAfter } })
    return retryAfter > 0
  }

  #failed(error: unknown, request: IncomingMessage, response: () => ServerResponse): void {
    if (isAborted(request)) return
    if (error instanceof RelayUnavailable)
      return refuse(response(), 'relay_unavailable', { details: { retryAfter: UNAVAILABLE_RETRY_SECONDS } })
    const reference = this.#logged.get(request)?.reference
    this.#parts.log.error({ err: error, reference }, 'A request failed.')
    refuse(response(), 'internal', {
      details: { message: `Something went wrong on the relay. Its operator finds it in the log under ${reference}.` },
    })
  }
}

/** Closes the connection after the refusal. */
function refuseAndClose(response: ServerResponse): void {
  refuse(response, 'rate_limited', { details: { retryAfter: 1 }, headers: { connection: 'close' } })
}

function isForHome(request: IncomingMessage): boolean {
  const { path } = addressOf(request)
  return path === '/v1' || path.startsWith('/v1/') || MCP_PATH.test(path)
}

function sendText(request: IncomingMessage, response: ServerResponse, text: string): void {
  response
    .writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) })
    .end(request.method === 'HEAD' ? undefined : text)
}

function refuseMethod(response: ServerResponse): void {
  const details = { message: 'This path does not take this method; it takes GET.' }
  refuse(response, 'method_not_allowed', { details, headers: { allow: 'GET, HEAD' } })
}

async function sendDocument(request: IncomingMessage, response: ServerResponse, document: Gzipped): Promise<void> {
  const gzip = acceptsGzip(request.headers['accept-encoding']?.toString()) ? await document.gzip() : null
  const bytes = gzip ?? document.bytes
  response
    .writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      vary: 'Accept-Encoding',
      ...(gzip === null ? {} : { 'content-encoding': 'gzip' }),
      'content-length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes)
}
