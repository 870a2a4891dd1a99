import type { IncomingMessage } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import websocket from '@fastify/websocket'
import fastify, { type FastifyHttpsOptions, type FastifyRequest } from 'fastify'
import { refusedWith } from '../api/answers.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { Refusal } from '../api/errors.ts'
import type { McpHandler } from '../api/call.ts'
import { ROUTER_SETTINGS } from '../api/router.ts'
import type { Via } from '../auth/credentials/credentials.ts'
import { asksForWebSocket, HTTP_PROTOCOLS, refuseBytes, SERVER_BOUNDS } from '../lib/https-server.ts'
import { isObject } from '../lib/json.ts'
import type { TurnBatch } from '../lib/turn-batch.ts'
import type { Clock } from '../lib/clock.ts'
import { acceptsGzip, type Gzipped } from '../lib/gzipped.ts'
import { bearer, originForm } from '../lib/request-head.ts'
import type { LiveStream } from '../transport/live-stream.ts'
import { FRAME_BYTES_MAX } from '../transport/serve.ts'
import { ADMIN, registerAdminRoutes } from './admin-routes.ts'
import { type ConnectionLimits, Connections } from './connections.ts'
import { CONSOLE, redirectRoot, registerConsolePages, type ConsoleParts } from './console-pages.ts'
import { CONSOLE_STREAM, isConsoleUpgrade } from './console-stream.ts'
import type { OwnHosts } from './hosts.ts'
import { answerFast } from './fast-path.ts'
import { registerMcpRoute } from './mcp-route.ts'
import type { OperatorParts } from './operator-requests.ts'
import { bufferPipelinedRequests } from './pipelining.ts'
import { RelayedConnections } from './relayed-connections.ts'
import { peerOf, type Scope, send } from './reply.ts'
import { headOf, countedHostRefusal, notServed, routableUrl, registerServiceRoutes } from './service-routes.ts'

/** Documents outside `/v1`, served without a credential. They contain nothing about the home. */
export interface Documents {
  readonly openapi: () => Gzipped
  readonly asyncapi: () => Gzipped
  readonly caPem: () => string
}

/** Registers additional fastify plugins, for example for tests. */
export type ServerPlugins = (server: Scope) => void | Promise<void>

export interface ServerParts {
  readonly dispatcher: Dispatcher
  /** `close` closes all sockets when the server stops. */
  readonly stream: LiveStream & { close(): void }
  readonly mcp: McpHandler
  readonly documents: Documents
  readonly hosts: OwnHosts
  /** Handles simultaneous requests together; shared with the stream. */
  readonly turnBatch: TurnBatch
  readonly tls: SecureContextOptions
  readonly clock: Clock
  /** Null if the console is off; then nothing reveals it. */
  readonly console: ConsoleParts | null
  readonly operators: OperatorParts
  /** Clock of connections through a relay. */
  readonly relayClock: Clock
  /** False if fastify routes all requests to API endpoints. */
  readonly fastPath: boolean
  /** Registers plugins before all routes. Their hooks see every request, so the fast path is off. */
  readonly plugins?: ServerPlugins
  /** Limits for load tests; `CONNECTION_LIMITS` by default. */
  readonly connections?: ConnectionLimits
}

/** Timeout of a connection without traffic. Every response is ready sooner; the stream sends pings. */
const STALLED_MS = 60_000

/** Replaces fastify's validators and serialisers, which would take memory: the dispatcher does both. */
const NO_SCHEMAS = { buildValidator: noSchemas, buildSerializer: noSchemas }

function noSchemas(): () => never {
  return () => {
    throw new Error('Routes have no fastify schemas: the contract declares requests and responses.')
  }
}

/** Options of the gateway's HTTPS server and of the server of safe mode. */
export function serverOptions(
  tls: SecureContextOptions,
  isUpgrade: (request: IncomingMessage) => boolean,
): FastifyHttpsOptions<HttpsServer> {
  return {
    https: {
      ...tls,
      ...SERVER_BOUNDS,
      ALPNProtocols: HTTP_PROTOCOLS,
      shouldUpgradeCallback: isUpgrade,
    },
    requestTimeout: SERVER_BOUNDS.requestTimeout,
    connectionTimeout: STALLED_MS,
    keepAliveTimeout: SERVER_BOUNDS.keepAliveTimeout,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    return503OnClosing: false,
    logger: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    routerOptions: ROUTER_SETTINGS,
    rewriteUrl: routableUrl,
    clientErrorHandler: (error, socket) => refuseBytes(error, socket),
  }
}

/** Limits the connections of a server, closes them with it, and closes those that fail the TLS handshake. */
export function limitConnections(server: Scope, clock: Clock, limits?: ConnectionLimits): Connections {
  const connections = new Connections(server.server, clock, limits)
  server.addHook('preClose', (done) => {
    connections.stop()
    done()
  })
  server.addHook('onClose', (_server, done) => {
    connections.stopTimer()
    done()
  })
  server.server.on('tlsClientError', (_error, socket) => socket.destroy())
  bufferPipelinedRequests(server.server)
  return connections
}

/** The server of the gateway's port, and its connections through a relay. */
export interface GatewayServer {
  /** Without `addHook`, because hooks miss requests of the fast path; use `ServerParts.plugins`. */
  readonly server: Pick<Scope, 'close' | 'listen' | 'server'>
  readonly relayed: RelayedConnections
}

/**
 * The HTTPS server: turns bytes into calls, and answers into bytes. It handles TLS, hosts and limits, and knows nothing
 * about the home.
 */
export async function createServer(parts: ServerParts): Promise<GatewayServer> {
  const options = serverOptions(parts.tls, (request) =>
    isUpgrade(request, connections.viaOf(request.socket) === 'home' ? parts.console : null),
  )
  const server = fastify({
    ...options,
    serverFactory: (fastifyHandler) =>
      createHttpsServer(options.https ?? {}, (request, response) => {
        originForm(request)
        if (connections.isStopping) response.shouldKeepAlive = false
        if (fast?.(request, response) !== true) fastifyHandler(request, response)
      }).setTimeout(STALLED_MS),
  }) as unknown as Scope
  const connections = limitConnections(server, parts.clock, parts.connections)
  const fast = parts.fastPath && !parts.plugins ? answerFast.bind(null, { ...parts, connections }) : null
  // Answers pending requests before Node closes a half-closed connection.
  server.server.on('secureConnection', (socket) => {
    for (const end of ['end', 'close']) socket.prependListener(end, () => parts.turnBatch.finish())
  })
  // Answers requests with an unknown `Expect` header normally.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))

  // Importing node:http reads all its exports, which loads Node's fetch: 9 MiB.
  const { METHODS } = process.getBuiltinModule('node:http')
  for (const method of METHODS) if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  await parts.plugins?.(server)
  registerRefusals(server, { ...parts, connections })
  await registerRoutes(server, { ...parts, connections })
  const { tls, relayClock: clock } = parts
  return { server, relayed: new RelayedConnections({ server: server.server, connections, tls, clock }) }
}

/** Refuses requests for other hosts, from other origins, and without a route. */
function registerRefusals(server: Scope, parts: RouteParts): void {
  const { dispatcher, connections } = parts
  server.addHook('onRequest', (request, reply, done) => {
    const refusal = countedHostRefusal(parts, request.raw, reply.raw)
    if (refusal !== null) send(reply, refusal)
    else if (request.is404) send(reply, notServed(dispatcher, request.raw, connections))
    else done()
  })
  server.setErrorHandler((error, request, reply) =>
    send(reply, dispatcher.refused(error, headOf(request.raw, connections))),
  )
}

type RouteParts = Omit<ServerParts, 'connections'> & { readonly connections: Connections }

/** Every route of the gateway: `server.printRoutes()` lists them. */
async function registerRoutes(server: Scope, parts: RouteParts): Promise<void> {
  const { console, documents } = parts
  registerServiceRoutes(server, parts)
  registerMcpRoute(server, parts)
  registerDocuments(server, documents)
  if (console) {
    const pages = { ...parts, console, caPem: documents.caPem }
    redirectRoot(server, pages)
    await server.register(async (scope) => registerConsolePages(scope as unknown as Scope, pages), { prefix: CONSOLE })
  }
  await server.register(async (scope) => registerStreams(scope as unknown as Scope, parts))
}

/** Sockets have a scope of their own, because the WebSocket plugin inspects every response of its scope. */
async function registerStreams(scope: Scope, parts: RouteParts): Promise<void> {
  await scope.register(websocket, {
    options: { maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false, clientTracking: false },
    preClose: (done) => {
      parts.stream.close()
      done()
    },
    errorHandler: (_error, socket) => socket.terminate(),
  })
  registerStreamRoute(scope, parts)
  await scope.register(async (admin) => registerAdminRoutes(admin as unknown as Scope, parts), {
    prefix: ADMIN,
  })
}

function registerStreamRoute(server: Scope, { dispatcher, stream, connections }: RouteParts): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/v1/stream',
    onRequest: async (request, reply) => {
      const [via, token] = [connections.viaOf(request.socket), streamToken(request)]
      try {
        if (!request.ws) throw refusalWithoutUpgrade(dispatcher, request, via)
        await stream.admit(token, peerOf(request), via)
        connections.markAdmitted(request.socket)
      } catch (error) {
        send(reply, dispatcher.refused(error, { method: request.method, via, token }))
        return reply
      }
    },
    handler: (_request, reply) => send(reply, refusedWith('upgrade_required')),
    wsHandler: (socket, request) =>
      stream.accept(socket, {
        token: streamToken(request),
        peer: peerOf(request),
        via: connections.viaOf(request.socket),
      }),
  })
}

function registerDocuments(server: Scope, { openapi, asyncapi, caPem }: Documents): void {
  const json = 'application/json; charset=utf-8'
  const method = ['GET', 'HEAD']
  for (const [url, document] of [
    ['/openapi.json', openapi],
    ['/asyncapi.json', asyncapi],
  ] as const)
    server.route({
      method,
      url,
      handler: async (request, reply) => {
        reply.header('content-type', json).header('vary', 'Accept-Encoding')
        const gzip = acceptsGzip(request.headers['accept-encoding']?.toString()) ? await document().gzip() : null
        return gzip === null ? reply.send(document().bytes) : reply.header('content-encoding', 'gzip').send(gzip)
      },
    })
  server.route({
    method,
    url: '/ca.pem',
    handler: (_request, reply) => reply.header('content-type', 'application/x-pem-file').send(caPem()),
  })
}

/**
 * True only for requests that can become a stream. All other upgrade requests are ordinary requests, so that no other
 * path opens a socket and every refusal has the Error shape.
 */
function isUpgrade(request: IncomingMessage, console: ConsoleParts | null): boolean {
  originForm(request)
  const [path] = (request.url ?? '').split('?', 1)
  return (
    (path === '/v1/stream' || (console !== null && path === CONSOLE_STREAM && isConsoleUpgrade(request, console))) &&
    asksForWebSocket(request)
  )
}

/** Checks and counts the credential as usual before telling the client to upgrade. */
function refusalWithoutUpgrade(dispatcher: Dispatcher, request: FastifyRequest, via: Via): Refusal {
  dispatcher.count(dispatcher.identify(bearer(request.raw), { via, peer: peerOf(request) }))
  return new Refusal('upgrade_required')
}

/** Token of an upgrade, which may also be a query parameter (Spec 5 point 1). Two different tokens count as none. */
function streamToken(request: FastifyRequest): string | null {
  const inHeader = bearer(request.raw)
  const inQuery = isObject(request.query) ? request.query['token'] : undefined
  if (inQuery === undefined) return inHeader
  if (typeof inQuery !== 'string' || (inHeader !== null && inHeader !== inQuery)) return null
  return inQuery
}
