import type { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import websocket, { type WebSocket } from '@fastify/websocket'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Answer, type Body, BODY_BYTES_MAX, type Call } from '../api/call.ts'
import { type Dispatcher, refusalAnswer } from '../api/dispatch.ts'
import { type ErrorCode, Refusal } from '../api/errors.ts'
import { readBody } from './body.ts'
import type { OwnHosts } from './hosts.ts'
import { type McpHandler, mcpRoute } from './mcp-route.ts'

/** What the stream needs to let somebody in and then talk to them. */
export interface StreamHandler {
  /** Throws a Refusal when this caller may not connect. */
  admit(token: string | null, peer: string): void
  accept(socket: WebSocket, caller: { readonly token: string | null; readonly peer: string }): void
  close(): void
}

/** Documents served outside `/v1`, without a credential: none of them says anything about the home. */
export interface Documents {
  readonly openapi: () => Buffer
  readonly asyncapi: () => Buffer
  readonly caPem: () => string
}

export interface ServerParts {
  readonly dispatcher: Dispatcher
  readonly stream: StreamHandler
  readonly mcp: McpHandler
  readonly documents: Documents
  readonly hosts: OwnHosts
  readonly tls: SecureContextOptions
  /** For load tests; otherwise `CONNECTIONS_MAX` and `ADDRESS_CONNECTIONS_MAX`. */
  readonly connections?: { readonly all: number; readonly perAddress: number }
}

/** Times and bounds that keep slow and hostile peers from holding anything (docs/limits.md). */
const HANDSHAKE_MS = 5_000
const HEADERS_MS = 5_000
const REQUEST_MS = 10_000
const KEEP_ALIVE_MS = 75_000
const CHECK_EVERY_MS = 1_000
const HEADER_BYTES_MAX = 8_192
const CONNECTIONS_MAX = 1_000
/** One peer cannot take all of them: as many as there can be live sockets, and some more. */
const ADDRESS_CONNECTIONS_MAX = 320
/** A peer that takes nothing of what is written to it; no answer takes this long to be found. The stream has its pings instead. */
const STALLED_MS = 60_000
export const FRAME_BYTES_MAX = 64 * 1024

/** 16 bytes in base64 (RFC 6455 section 4.1). */
const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/

/** A body whose type cannot be read is of no type that is taken; the pipeline says so after what matters more. */
const BODY_OF_NO_TYPE: Body = { kind: 'bytes', bytes: Buffer.from('?'), mediaType: null, encoded: false }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The HTTPS server: bytes to calls, answers to bytes. It knows TLS, hosts and limits, and nothing of the home. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance<HttpsServer>> {
  const server = fastify({
    https: {
      ...parts.tls,
      handshakeTimeout: HANDSHAKE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      shouldUpgradeCallback: isStreamUpgrade,
    },
    requestTimeout: REQUEST_MS,
    connectionTimeout: STALLED_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    logger: false,
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    // A path that cannot be decoded is served like any other that is not there.
    frameworkErrors: (_error, request, reply) =>
      void serve(parts, request as FastifyRequest, reply as unknown as FastifyReply),
    clientErrorHandler: (error, socket) => refuseBytes(error, socket),
  }) as unknown as FastifyInstance<HttpsServer>
  const { all, perAddress } = parts.connections ?? { all: CONNECTIONS_MAX, perAddress: ADDRESS_CONNECTIONS_MAX }
  server.server.maxConnections = all
  boundPerAddress(server.server, perAddress)
  server.server.on('tlsClientError', (_error, socket) => socket.destroy())
  // What a client expects and nobody knows is no reason not to answer it.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))

  await server.register(websocket, {
    options: { maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false, clientTracking: false },
    preClose: (done) => {
      parts.stream.close()
      done()
    },
    errorHandler: (_error, socket) => socket.terminate(),
  })
  server.removeAllContentTypeParsers()
  // Over the stream a request of any method may carry a body; so it may here, and a body where none belongs is refused over both.
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  server.addContentTypeParser('*', (request, payload, done) => readBody(request.headers, payload, BODY_BYTES_MAX, done))
  server.addHook('onRequest', async (request, reply) => {
    const code = hostRefusal(parts.hosts, request)
    // A body that is not read leaves the connection in the middle of a request.
    if (code) return send(reply.header('connection', 'close'), refusalAnswer(new Refusal(code)))
    return undefined
  })
  // Fastify has rules of its own for methods that nobody serves; here they are answered as on every path.
  const served: readonly string[] = METHODS
  server.setErrorHandler((error, request, reply) => {
    if (!served.includes(request.method)) return serve(parts, request, reply)
    if (!isUnreadableType(error)) return send(reply, parts.dispatcher.refused(error, request))
    request.body = BODY_OF_NO_TYPE
    return serve(parts, request, reply.header('connection', 'close'))
  })
  server.setNotFoundHandler((request, reply) => serve(parts, request, reply))
  routes(server, parts)
  return server
}

/** Ends what one address opens beyond its share, before a handshake is spent on it. */
function boundPerAddress(server: HttpsServer, connectionsMax: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    const count = (open.get(remoteAddress) ?? 0) + 1
    open.set(remoteAddress, count)
    socket.once('close', () => {
      const left = (open.get(remoteAddress) ?? 1) - 1
      if (left > 0) open.set(remoteAddress, left)
      else open.delete(remoteAddress)
    })
    if (count > connectionsMax) socket.destroy()
  })
}

function routes(server: FastifyInstance<HttpsServer>, parts: ServerParts): void {
  server.route({ method: [...METHODS], url: '/v1/*', handler: (request, reply) => serve(parts, request, reply) })
  server.route({
    method: 'GET',
    url: '/v1/stream',
    preValidation: async (request, reply) => {
      try {
        if (!request.ws) throw refusalWithoutUpgrade(parts, request)
        parts.stream.admit(streamToken(request), request.ip)
        return undefined
      } catch (error) {
        return send(reply, parts.dispatcher.refused(error, request))
      }
    },
    handler: (_request, reply) => send(reply, refusalAnswer(new Refusal('upgrade_required'))),
    wsHandler: (socket, request) => parts.stream.accept(socket, { token: streamToken(request), peer: request.ip }),
  })
  mcpRoute(server, parts.mcp)
  const json = 'application/json; charset=utf-8'
  server.get('/openapi.json', (_request, reply) => reply.header('content-type', json).send(parts.documents.openapi()))
  server.get('/asyncapi.json', (_request, reply) => reply.header('content-type', json).send(parts.documents.asyncapi()))
  server.get('/ca.pem', (_request, reply) =>
    reply.header('content-type', 'application/x-pem-file').send(parts.documents.caPem()),
  )
}

function isUnreadableType(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
}

/**
 * Only what can become a stream is upgraded. Everything else that asks for it is a request like any other, so that no path
 * opens a socket, and no refusal leaves the one shape.
 */
function isStreamUpgrade({ method, url = '', headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    url.split('?', 1)[0] === '/v1/stream' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    WEBSOCKET_KEY.test(headers['sec-websocket-key'] ?? '')
  )
}

/** The credential is asked first here as everywhere; only then is a client told that it should have upgraded. */
function refusalWithoutUpgrade(parts: ServerParts, request: FastifyRequest): Refusal {
  parts.dispatcher.identify(bearer(request), { via: 'home', peer: request.ip })
  return new Refusal('upgrade_required')
}

/** Returns the answer's promise, or the reply itself where the answer was there at once. */
function serve(parts: ServerParts, request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
  const answer = parts.dispatcher.answer(callOf(request))
  return answer instanceof Promise ? answer.then((each) => sendRaw(reply, each)) : sendRaw(reply, answer)
}

function callOf(request: FastifyRequest): Call {
  const url = request.raw.url ?? '/'
  const question = url.indexOf('?')
  return {
    method: request.method,
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? {} : (request.query as Record<string, string>),
    body: (request.body as Body | undefined) ?? { kind: 'none' },
    token: bearer(request),
    via: 'home',
    peer: request.ip,
    etag: request.headers['if-none-match'],
  }
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.status === 413) reply.header('connection', 'close')
  if (answer.status === 426) reply.header('upgrade', 'websocket').header('sec-websocket-version', '13')
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .send(answer.body ?? '')
}

/** Writes an answer that is bytes and headers already: there is nothing left for the framework to do with it. */
function sendRaw(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.hijack()
  const length = answer.body === null ? {} : { 'content-length': Buffer.byteLength(answer.body) }
  const close = answer.status === 413 ? { connection: 'close' } : {}
  reply.raw.writeHead(answer.status, { ...answer.headers, ...length, ...close }).end(answer.body ?? undefined)
  return reply
}

function hostRefusal(hosts: OwnHosts, request: FastifyRequest): ErrorCode | null {
  if (!hosts.answersTo(request.headers.host) || namesTwoHosts(request.raw.rawHeaders)) return 'misdirected_request'
  const { origin } = request.headers
  return origin !== undefined && !hosts.isOwnOrigin(origin) ? 'origin_not_allowed' : null
}

/** Node shows the first of several Host headers; what stands before the gateway may have gone by another. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1
  return hosts > 1
}

function bearer(request: FastifyRequest): string | null {
  const header = request.headers.authorization
  return header !== undefined && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : null
}

/** On the upgrade the query parameter works too (Spec 5 point 1); two tokens that differ are no credential. */
function streamToken(request: FastifyRequest): string | null {
  const inHeader = bearer(request)
  const inQuery = (request.query as Record<string, unknown>)['token']
  if (inQuery === undefined) return inHeader
  if (typeof inQuery !== 'string' || (inHeader !== null && inHeader !== inQuery)) return null
  return inQuery
}

/** What is no HTTP gets a short refusal in the one shape where that can still be said, and the connection always ends. */
function refuseBytes(error: Error & { code?: string }, socket: Socket): void {
  if (
    error.code?.startsWith('ERR_TLS') ||
    error.code?.startsWith('ERR_SSL') ||
    error.code === 'ECONNRESET' ||
    !socket.writable
  ) {
    socket.destroy()
    return
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are too large: 8 KiB at most.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long to arrive.']
        : ['400 Bad Request', 'This is not a valid HTTP request.']
  const body = JSON.stringify({ error: { code: 'validation', message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
