import { constants } from 'node:http2'
import type { Duplex } from 'node:stream'
import { refuseStream, respond } from './answering.ts'
import { peerIn } from './call-head.ts'
import type { Streams } from './open-streams.ts'

/** What serves a client whose TLS ends at the gateway. */
export interface ClientConnections {
  /** Takes the bytes of a client at this address, and ends with them. */
  take(carrier: Duplex, peer: string): void
}

/** Clients' own TLS connections that come through a relay: the stream has their bytes, which the relay cannot read. */
export const passthroughStreams = (connections: ClientConnections): Streams => ({
  take: (stream, headers) => {
    const peer = peerIn(headers)
    if (peer === null || headers[':method'] !== 'CONNECT' || headers[':protocol'] !== undefined)
      return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (respond(stream, 200, {})) connections.take(stream, peer)
  },
  // The content belongs to the client and the gateway: the stream ends without a word.
  end: (stream) => refuseStream(stream, constants.NGHTTP2_CANCEL),
})
