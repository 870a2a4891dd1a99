import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { asksForWebSocket, HTTP_PROTOCOLS, refuseBytes, SERVER_BOUNDS } from '@hm-gateway/lib/https-server.ts'
import { originForm } from '@hm-gateway/lib/request-head.ts'
import { TUNNEL_PROTOCOL } from '@hm-gateway/wire/tunnel.ts'
import { boundConnections } from '../limits/connections.ts'
import { routeByServerName } from './server-name-routing.ts'
import { type Edge, HSTS } from './edge.ts'

/** Open connections of one address; up to twice as many may begin in a burst. */
export const CONNECTIONS_OF_ADDRESS_MAX = 320
/** An address may begin `CONNECTIONS_OF_ADDRESS_MAX` connections in this time on average. */
export const NEW_CONNECTIONS_SECONDS = 16
/** A client that offers none of these protocols is refused. */
const PROTOCOLS = [TUNNEL_PROTOCOL, ...HTTP_PROTOCOLS]

export interface EdgeServerParts {
  readonly tls: SecureContextOptions
  readonly edge: Edge
  /** Takes over a gateway's connection. */
  readonly tunnel: (socket: TLSSocket) => void
  readonly clock: Clock
  /** For load tests only. */
  readonly connectionsOfAddress?: number
}

/**
 * The one port of the relay. The TLS server name selects end-to-end connections to a gateway; ALPN then separates
 * gateways' tunnels from clients' HTTPS.
 */
export function createEdgeServer({ tls, edge, tunnel, clock, connectionsOfAddress }: EdgeServerParts): Server {
  const server = createServer({
    ...tls,
    // `ALPNProtocols` would be copied for each connection, and each copy would keep a whole buffer pool alive.
    ALPNCallback: ({ protocols }) => PROTOCOLS.find((protocol) => protocols.includes(protocol)),
    ...SERVER_BOUNDS,
    shouldUpgradeCallback: isStreamUpgrade,
    noDelay: true,
  })
  byProtocol(server, tunnel)
  routeByServerName(server, edge.passthrough, clock)
  const max = connectionsOfAddress ?? CONNECTIONS_OF_ADDRESS_MAX
  const newConnections = { perSecond: max / NEW_CONNECTIONS_SECONDS, burst: 2 * max }
  boundConnections(server, max, new AddressLimits(clock, newConnections))
  server.on('request', (request, response) => void edge.request(request, response))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('upgrade', (request, socket, head) => void edge.upgrade(request, socket, head))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('clientError', (error, socket) => refuseBytes(error, socket, [HSTS]))
  return server
}

/** Hands tunnels over, and leaves all other connections to Node's own listener, which serves HTTP. */
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

/** Only a WebSocket request for `/v1/stream` is upgraded. Other requests with an Upgrade header are plain requests. */
function isStreamUpgrade(request: IncomingMessage): boolean {
  originForm(request)
  return (request.url ?? '').split('?', 1)[0] === '/v1/stream' && asksForWebSocket(request)
}
