import { constants } from 'node:http2'
import type { Duplex } from 'node:stream'
import { refuseStream, respond } from './answering.ts'
import { peerIn } from './call-head.ts'
import type { Streams } from './open-streams.ts'

/** Serves clients whose TLS ends at the gateway. */
export interface ClientConnections {
  /** Serves a connection from the client's address `peer` until `carrier` ends. */
  take(carrier: Duplex, peer: string): void
}

/** Clients' own TLS connections through a relay: each stream carries encrypted bytes, which the relay cannot read. */
export const passthroughStreams = (connections: ClientConnections): Streams => ({
  take: (stream, headers) => {
    const peer = peerIn(headers)
    if (peer === null || headers[':method'] !== 'CONNECT' || headers[':protocol'] !== undefined)
      return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (respond(stream, 200, {})) connections.take(stream, peer)
  },
  // The relay cannot write into an encrypted connection, so the stream is only cancelled.
  end: (stream) => refuseStream(stream, constants.NGHTTP2_CANCEL),
})
