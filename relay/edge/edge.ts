import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { acceptsGzip, type Gzipped } from '@hm-gateway/lib/gzipped.ts'
import { bearer, bearerChallenge, hasLeft, isRepeated, originForm } from '@hm-gateway/lib/request-head.ts'
import { peerOf } from '../limits/connections.ts'
import { RelayUnavailable, UNAVAILABLE_RETRY_SECONDS } from '../model/unavailable.ts'
import { ABOUT } from './about.ts'
import { type Destination, forward, type ForwardParts } from './forward.ts'
import { answersTo, isOwnOrigin } from './hosts.ts'
import { type EdgeLimits, type LimitedRequest, Limits } from './limits.ts'
import { pairing } from './pairing.ts'
import { Passthrough } from './passthrough.ts'
import { hasBegun, Pipelined } from './pipelined.ts'
import { refuse } from './refusals.ts'
import { type LoggedRequest, requestLog, type RequestLogParts } from './request-log.ts'
import { type Address, addressOf, gatewayOf, streamToken } from './routing.ts'
import { answerInstead, connectStream } from './stream-upgrade.ts'
import type { RelayParts } from '../store/parts.ts'

/** The relay's own pages and its authorization server: everything beside the service and agents' requests. */
export interface Web {
  owns(path: string): boolean
  /** Answers a request of a path that it owns. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** `WWW-Authenticate` of a 401 to an agent. */
  challenge(door: string, token: string | null): string
}

export interface EdgeParts extends ForwardParts, Pick<RelayParts, 'clock' | 'log'> {
  /** Names that it answers to, in lower case; addresses of IPv6 without brackets. */
  readonly names: () => readonly string[]
  readonly web: Web
  readonly routes: RequestLogParts['routes']
  /** Served without a credential, by path. */
  readonly documents: Readonly<Record<string, () => Gzipped>>
  /** For load tests; otherwise those of docs/limits.md#relay. */
  readonly limits?: EdgeLimits
}

/**
 * Makes browsers use HTTPS for a year (RFC 6797). Other hosts of the domain are not the relay's to bind.
 * Answers of homes have it too: without it, a refusal would show whether the relay or a home refused the token.
 */
export const HSTS = ['strict-transport-security', 'max-age=31536000'] as const

/** A slash at the end makes no difference. */
const DOOR = /^\/(mcp(?:\/r\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)\/?$/

/** Every request of a client: refused here for what needs no home, and otherwise sent to the home of its token. */
export class Edge {
  /** What takes the connections of clients whose TLS ends at a gateway. */
  readonly passthrough: Passthrough
  readonly #parts: EdgeParts
  readonly #limits: Limits
  readonly #requests: ReturnType<typeof requestLog>
  readonly #logged = new WeakMap<IncomingMessage, LoggedRequest>()
  readonly #pipelined = new Pipelined()

  constructor(parts: EdgeParts) {
    this.#parts = parts
    this.#requests = requestLog(parts)
    this.#limits = new Limits(parts.clock, parts.limits)
    this.passthrough = new Passthrough({ ...parts, limits: this.#limits })
  }

  /** Answers one request; never rejects. */
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

  /** Connects one stream, or answers why not; never rejects. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const address = addressOf(request)
    const { token, query } = streamToken(request, address)
    const logged = this.#begin(request)
    let status = 0
    socket.once('close', () => logged.ended(status))
    const instead = (): ServerResponse => {
      const response = answerInstead(request, socket)
      response.setHeader(...HSTS)
      response.once('finish', () => {
        status = response.statusCode
      })
      return response
    }
    const connected = (): void => {
      status = 101
    }
    try {
      if (this.#refused(request, instead)) return
      const destination = this.#serviceDestination(request, token, `${address.path}${query}`, instead)
      if (destination !== null)
        await connectStream({ request, socket, head, instead, connected }, destination, this.#parts)
    } catch (error) {
      this.#failed(error, request, instead)
    }
  }

  #begin(request: IncomingMessage): LoggedRequest {
    const logged = this.#requests(request)
    this.#logged.set(request, logged)
    return logged
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#pipelined.takes(request, response)) return tooMany(response)
    if (this.#refused(request, () => response)) return
    const address = addressOf(request)
    const { path } = address
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const document = this.#parts.documents[path]
    if (document !== undefined) return await (isRead ? sendDocument(request, response, document()) : onlyRead(response))
    if (path === '/v1/about' && isRead) return sendText(request, response, ABOUT)
    if (request.method === 'POST' && (path === '/v1/pair' || path === '/v1/pair/token'))
      return await this.#pair(request, response, address)
    const door = DOOR.exec(path)?.[1]
    if (door !== undefined) return await this.#agent(request, response, door)
    if (isOfAHome(request)) return await this.#service(request, response, address)
    if (this.#parts.web.owns(path)) return await this.#parts.web.handle(request, response)
    // Whoever has a token is told by its home, which may read the path in another way.
    if (gatewayOf(bearer(request)) !== null) return await this.#service(request, response, address)
    refuse(response, 'not_found', {
      details: { message: 'There is no such path. GET /v1/about says where the documents are.' },
    })
  }

  async #service(request: IncomingMessage, response: ServerResponse, { path, query }: Address): Promise<void> {
    const destination = this.#serviceDestination(request, bearer(request), `${path}${query}`, () => response)
    if (destination !== null) await forward(request, response, destination, this.#parts)
  }

  /** Refuses what is meant for another host, comes from a foreign page, or comes too often; true where it did. */
  #refused(request: IncomingMessage, response: () => ServerResponse): boolean {
    const { names } = this.#parts
    const { host, origin } = request.headers
    // RFC 9112 section 3.2: 400. HTTP/1.0 knows requests without Host; they are for no host of this relay's.
    if (host === undefined && request.httpVersion === '1.1') {
      refuse(response(), 'validation', { status: 400, details: { message: 'The Host header is missing.' } })
      return true
    }
    if (!answersTo(names, host) || isRepeated(request, 'host')) {
      refuse(response(), 'misdirected_request', {
        details: { message: 'This relay does not answer to that host name.' },
        headers: { connection: 'close' },
      })
      return true
    }
    // What is beside the service says itself which pages may read it.
    if (origin !== undefined && isOfAHome(request) && !isOwnOrigin(names, origin)) {
      refuse(response(), 'origin_not_allowed')
      return true
    }
    const retryAfter = this.#limits.request(peerOf(request))
    if (retryAfter > 0) refuse(response(), 'rate_limited', { details: { retryAfter } })
    return retryAfter > 0
  }

  /** The home of a token; null where a refusal was written instead. */
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
    return { gateway, authority: 'api', path, token, peer, ...this.#about(token, () => bearerChallenge(token)) }
  }

  async #agent(request: IncomingMessage, response: ServerResponse, door: string): Promise<void> {
    const { web } = this.#parts
    const token = bearer(request)
    const gateway = gatewayOf(token)
    const peer = peerOf(request)
    if (gateway === null) return void this.#unauthorized(peer, response, web.challenge(door, token))
    if (this.#limited(request, { gateway, token, peer }, () => response)) return
    const about = this.#about(token, () => web.challenge(door, token))
    const destination = { gateway, authority: 'mcp', path: `/${door}`, token, peer, ...about } as const
    await forward(request, response, destination, this.#parts)
  }

  async #pair(request: IncomingMessage, response: ServerResponse, { path, query }: Address): Promise<void> {
    const route = await pairing(request, response, path)
    if (route === null) return
    const { gateway, body } = route
    const peer = peerOf(request)
    if (this.#limited(request, { gateway, token: null, peer }, () => response)) return
    const destination = { gateway, authority: 'api', path: `${path}${query}`, token: null, peer, body } as const
    await forward(request, response, { ...destination, ...this.#about(null, () => bearerChallenge(null)) }, this.#parts)
  }

  #about(token: string | null, challenge: () => string): Pick<Destination, 'challenge' | 'answered'> {
    return { challenge, answered: (status) => this.#limits.answered(token, status) }
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
    if (hasLeft(request)) return
    if (error instanceof RelayUnavailable)
      return refuse(response(), 'relay_unavailable', { details: { retryAfter: UNAVAILABLE_RETRY_SECONDS } })
    const reference = this.#logged.get(request)?.reference
    this.#parts.log.error({ err: error, reference }, 'A request failed.')
    refuse(response(), 'internal', {
      details: { message: `Something went wrong on the relay. Its log has it under ${reference}.` },
    })
  }
}

/** Nothing behind it on its connection is answered. */
function tooMany(response: ServerResponse): void {
  refuse(response, 'rate_limited', { details: { retryAfter: 1 }, headers: { connection: 'close' } })
}

function isOfAHome(request: IncomingMessage): boolean {
  const { path } = addressOf(request)
  return path === '/v1' || path.startsWith('/v1/') || DOOR.test(path)
}

function sendText(request: IncomingMessage, response: ServerResponse, text: string): void {
  response
    .writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) })
    .end(request.method === 'HEAD' ? undefined : text)
}

function onlyRead(response: ServerResponse): void {
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
