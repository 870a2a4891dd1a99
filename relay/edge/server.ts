import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import type { Clock } from '../../src/lib/clock.ts'
import { networkOf } from '../../src/lib/network-of.ts'
import { originForm } from '../../src/lib/request-head.ts'
import { TUNNEL_PROTOCOL } from '../../src/wire/tunnel.ts'
import { byServerName } from './by-server-name.ts'
import type { Edge } from './edge.ts'

/** Times and bounds that keep slow and hostile peers from holding anything (docs/limits.md#relay). */
/** Of all headers of a request together. */
const HEADER_BYTES_MAX = 8_192
const HANDSHAKE_MS = 5_000
const HEADERS_MS = 5_000
const REQUEST_MS = 10_000
const KEEP_ALIVE_MS = 75_000
const CHECK_EVERY_MS = 1_000
export const CONNECTIONS_OF_ADDRESS_MAX = 320
/** 16 bytes in base64 (RFC 6455 section 4.1). */
const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/

export interface ServerParts {
  readonly tls: SecureContextOptions
  readonly edge: Edge
  /** Takes over a connection that speaks the tunnel's protocol. */
  readonly tunnel: (socket: TLSSocket) => void
  readonly clock: Clock
  /** For load tests; otherwise `CONNECTIONS_OF_ADDRESS_MAX`. */
  readonly connectionsOfAddress?: number
}

/**
 * The one port of the relay: clients' own TLS to gateways goes by its server name, gateways' tunnels and clients' HTTPS
 * are told apart by what TLS agrees on (ALPN).
 */
export function createEdgeServer({ tls, edge, tunnel, clock, connectionsOfAddress }: ServerParts): Server {
  const server = createServer({
    ...tls,
    ALPNProtocols: [TUNNEL_PROTOCOL, 'http/1.1'],
    handshakeTimeout: HANDSHAKE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
    shouldUpgradeCallback: isStreamUpgrade,
    requireHostHeader: false,
    noDelay: true,
  })
  byProtocol(server, tunnel)
  byServerName(server, edge.passthrough, clock)
  boundConnections(server, connectionsOfAddress ?? CONNECTIONS_OF_ADDRESS_MAX)
  server.on('request', (request, response) => void edge.request(request, response))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('upgrade', (request, socket, head) => void edge.upgrade(request, socket, head))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('clientError', refuseBytes)
  return server
}

/** Node's own listener for a finished handshake speaks HTTP: it gets what does not speak the tunnel's protocol. */
function byProtocol(server: Server, tunnel: (socket: TLSSocket) => void): void {
  const listeners = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    if (socket.alpnProtocol === TUNNEL_PROTOCOL) tunnel(socket)
    else for (const listener of listeners) listener.call(server, socket)
  })
}

function boundConnections(server: Server, max: number): void {
  const open = new Map<string, number>()
  server.prependListener('connection', (socket: Socket) => {
    const peer = networkOf(socket.remoteAddress ?? '')
    const count = (open.get(peer) ?? 0) + 1
    if (count > max) {
      socket.destroy()
      return
    }
    open.set(peer, count)
    socket.once('close', () => {
      const left = (open.get(peer) ?? 1) - 1
      if (left === 0) open.delete(peer)
      else open.set(peer, left)
    })
  })
}

/** Only what can become a stream is upgraded; all else that asks for it is a request like any other. */
function isStreamUpgrade(request: IncomingMessage): boolean {
  originForm(request)
  const { method, url = '', headers } = request
  return (
    method === 'GET' &&
    url.split('?', 1)[0] === '/v1/stream' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    WEBSOCKET_KEY.test(headers['sec-websocket-key'] ?? '')
  )
}

/** Answers bytes that are no HTTP with a short refusal in the Error shape, and ends the connection. */
function refuseBytes(error: Error & { code?: string }, socket: Socket): void {
  const { code = '' } = error
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are too large: 8 KiB at most.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long to arrive.']
        : ['400 Bad Request', 'This is not a valid HTTP request.']
  const body = JSON.stringify({ error: { code: 'validation', message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
