import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { asksForWebSocket, HTTP_PROTOCOLS, refuseBytes, SERVER_BOUNDS } from '@hm-gateway/lib/https-server.ts'
import { originForm } from '@hm-gateway/lib/request-head.ts'
import { TUNNEL_PROTOCOL } from '@hm-gateway/wire/tunnel.ts'
import { boundConnections } from '../limits/connections.ts'
import { byServerName } from './by-server-name.ts'
import { type Edge, HSTS } from './edge.ts'

/** Open connections of one address; twice as many begin at once. */
export const CONNECTIONS_OF_ADDRESS_MAX = 320
/** As many as may be open begin within this time, on average. */
export const CONNECTIONS_BEGUN_IN_SECONDS = 16
/** Who offers none of them is not served. */
const PROTOCOLS = [TUNNEL_PROTOCOL, ...HTTP_PROTOCOLS]

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
    // A list would be copied for each connection, and each copy keep the pool alive that it is cut from.
    ALPNCallback: ({ protocols }) => PROTOCOLS.find((each) => protocols.includes(each)),
    ...SERVER_BOUNDS,
    shouldUpgradeCallback: isStreamUpgrade,
    noDelay: true,
  })
  byProtocol(server, tunnel)
  byServerName(server, edge.passthrough, clock)
  const max = connectionsOfAddress ?? CONNECTIONS_OF_ADDRESS_MAX
  const begun = { perSecond: max / CONNECTIONS_BEGUN_IN_SECONDS, burst: 2 * max }
  boundConnections(server, max, new AddressLimits(clock, begun))
  server.on('request', (request, response) => void edge.request(request, response))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('upgrade', (request, socket, head) => void edge.upgrade(request, socket, head))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('clientError', (error, socket) => refuseBytes(error, socket, [HSTS]))
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

/** Only what can become a stream is upgraded; all else that asks for it is a request like any other. */
function isStreamUpgrade(request: IncomingMessage): boolean {
  originForm(request)
  return (request.url ?? '').split('?', 1)[0] === '/v1/stream' && asksForWebSocket(request)
}
