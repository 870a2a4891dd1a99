import { constants } from 'node:http2'
import type { Duplex } from 'node:stream'
import { refuseStream, respond } from './stream-responses.ts'
import { peerIn } from './call-head.ts'
import type { TunnelStreamHandler } from './open-streams.ts'

/** Serves clients whose TLS ends at the gateway. */
export interface ClientConnections {
  /** Serves a connection from the client's address `peer` until `carrier` ends. */
  serve(carrier: Duplex, peer: string): void
}

/** Clients' own TLS connections through a relay: each stream carries encrypted bytes, which the relay cannot read. */
export const passthroughStreams = (connections: ClientConnections): TunnelStreamHandler => ({
  handle: (stream, headers) => {
    const peer = peerIn(headers)
    if (peer === null || headers[':method'] !== 'CONNECT' || headers[':protocol'] !== undefined)
      return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (respond(stream, 200, {})) connections.serve(stream, peer)
  },
  // The relay cannot write into an encrypted connection, so the stream is only cancelled.
  end: (stream) => refuseStream(stream, constants.NGHTTP2_CANCEL),
})
