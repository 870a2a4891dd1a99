import type { IncomingHttpHeaders } from 'node:http'

/**
 * The tunnel between a gateway and a relay: HTTP/2 over TLS 1.3 that the gateway dials and the relay sends requests
 * over (docs/relay.md#why). Times are ms, sizes bytes.
 */

/** ALPN; the number is the version of everything in this folder. */
export const TUNNEL_PROTOCOL = 'hm-tunnel/1'
/** RFC 5705 exporter label: what a gateway signs is bound to its TLS connection. */
export const EXPORTER_LABEL = 'EXPORTER-hm-tunnel'
export const EXPORTER_BYTES = 32

/** `:authority` of a stream, which the relay alone sets: the service, agents, the relay itself, bytes of a client's TLS. */
export const AUTHORITIES = ['api', 'mcp', 'control', 'tls'] as const
export type Authority = (typeof AUTHORITIES)[number]

/** Whose authority a stream names, or null. */
export function authorityOf(text: string | undefined): Authority | null {
  return AUTHORITIES.find((each) => each === text) ?? null
}

/** The names in a gateway's own certificate by which clients mean it: its serial is what the relay goes by. */
export const OWN_NAME = /^hm-([a-z0-9]{12})(?:\.local)?$/

/** The client's address, as the relay saw it. */
export const PEER_HEADER = 'hm-peer'
/** 128 bits as 32 hex digits: the gateway carries no request out twice. */
export const REQUEST_HEADER = 'hm-request'
export const REQUEST_ID = /^[0-9a-f]{32}$/

/** Headers of a client's request that reach the gateway; all else is dropped. */
export const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'content-encoding',
  'accept',
  'accept-encoding',
  'if-none-match',
  'idempotency-key',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'last-event-id',
] as const
/** Headers of the gateway's answer that reach the client. That a length is the body's is seen to by HTTP/2. */
export const ANSWER_HEADERS = [
  'content-length',
  'content-type',
  'content-encoding',
  'vary',
  'etag',
  'cache-control',
  'location',
  'retry-after',
  'allow',
  'mcp-session-id',
] as const

/** The headers of these names that are there. */
export function headersNamed(
  names: readonly string[],
  headers: IncomingHttpHeaders,
): Record<string, string | string[]> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

export const STREAM_WINDOW_BYTES = 128 * 1024
export const CONNECTION_WINDOW_BYTES = 1024 * 1024
/** As many sockets as a gateway has, and requests beside them. */
export const STREAMS_MAX = 320
/** Of them those of one credential: what its clients leave unread must not take the places of others. */
export const STREAMS_OF_CREDENTIAL_MAX = 96
/** Streams without a credential that the home has admitted: its own programs need the other places. */
export const STREAMS_OF_STRANGERS_MAX = 128
/** End-to-end connections: their credentials are out of the relay's sight. */
export const STREAMS_END_TO_END_MAX = 128
/** End-to-end connections that may have shown no credential yet: the others are left to the home's own programs. */
export const STREAMS_END_TO_END_UNPROVED_MAX = 64
/** The gateway ends an end-to-end connection that has shown no admitted credential within this time. */
export const END_TO_END_PROOF_MS = 15_000
/** A stream is closed this long after the whole answer was sent, even if the request is incomplete. */
export const HALF_OPEN_MS = 500
/** The whole body of a request arrives at the gateway within this time. */
export const BODY_MS = 30_000
/**
 * Resets that one end takes from the other, at once and a second. Each client that leaves causes one, so Node's default
 * (1,000 and 33) would let strangers end the session.
 */
export const STREAM_RESETS = { burst: 10_000, perSecond: 2_000 }
/** HTTP/2 counts 32 bytes for each header: it fits every request that HTTP/1.1 takes. */
export const HEADER_BYTES_MAX = 32 * 1024

/** From the first byte until the gateway has proved itself and was welcomed. */
export const OPENING_MS = 10_000
/** A tunnel that another one has taken the place of goes on to take streams for so long: the relay may not know yet. */
export const OVERLAP_MS = 2_000
/** How long a stream may go on in a tunnel that another one has taken the place of. */
export const RETIRED_MS = 30_000
/** How long what is open through a tunnel may take to end once nobody is linked to the home. */
export const UNLINKED_END_MS = 500
/** A request by the same id within this time is refused, as long as it is among the latest of a gateway. */
export const DUPLICATES_MS = 60_000
export const DUPLICATES_MAX = 8_192

export const PING_EACH_MS = 12_000
/** After a request that nothing came back for in this time, a ping does not wait for its turn. */
export const ANSWER_DUE_MS = 2_000
export const PONG_WITHIN_MS = 10_000
/** A tunnel without a pong for so long is destroyed, whatever its socket says. */
export const SILENT_MS = 45_000
