import type { IncomingHttpHeaders } from 'node:http'

/**
 * The tunnel between a gateway and a relay: HTTP/2 over TLS 1.3 that the gateway dials and the relay sends requests
 * over (docs/relay.md#why). Times are ms, sizes bytes.
 */

/** ALPN; the number is the version of everything in this folder. */
export const TUNNEL_PROTOCOL = 'hm-tunnel/1'
/** RFC 5705 exporter label, which binds a gateway's signature to its TLS connection. */
export const EXPORTER_LABEL = 'EXPORTER-hm-tunnel'
export const EXPORTER_BYTES = 32

/**
 * `:authority` of a stream, which only the relay sets: the API, agents, the relay itself, or bytes of a client's TLS.
 */
export const AUTHORITIES = ['api', 'mcp', 'control', 'tls'] as const
export type StreamAuthority = (typeof AUTHORITIES)[number]

/** Parses the authority of a stream, or returns null. */
export function authorityOf(text: string | undefined): StreamAuthority | null {
  return AUTHORITIES.find((authority) => authority === text) ?? null
}

/** Host names in a gateway's certificate; the relay finds the gateway by the serial in them. */
export const OWN_NAME = /^hm-([a-z0-9]{12})(?:\.local)?$/

/** Header with the client's address, set by the relay. */
export const PEER_HEADER = 'hm-peer'
/** Header with the request's id, by which the gateway refuses duplicates: 128 bits as 32 hex digits. */
export const REQUEST_HEADER = 'hm-request'
export const REQUEST_ID = /^[0-9a-f]{32}$/

/** Client headers that reach the gateway; all others are dropped. */
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
/** Gateway headers that reach the client. HTTP/2 checks that the length is the body's. */
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

/** Picks the headers with these names. */
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
/** Most streams of a tunnel: all sockets of a gateway and some requests. */
export const STREAMS_MAX = 320
/** Most streams of one credential, so that its slow clients do not take all places. */
export const STREAMS_OF_CREDENTIAL_MAX = 96
/** Most streams without an admitted credential; the home's own programs need the other places. */
export const STREAMS_OF_STRANGERS_MAX = 128
/** Most end-to-end connections, whose credentials the relay cannot see. */
export const STREAMS_END_TO_END_MAX = 128
/** Most end-to-end connections without a credential yet; the others are reserved for the home's own programs. */
export const STREAMS_END_TO_END_UNPROVED_MAX = 64
/** The gateway closes an end-to-end connection without an admitted credential after this time. */
export const END_TO_END_PROOF_MS = 15_000
/** A stream is closed this long after the whole answer was sent, even if the request is incomplete. */
export const HALF_OPEN_MS = 500
/** The whole body of a request arrives at the gateway within this time. */
export const BODY_MS = 30_000
/**
 * Accepted resets, at once and per second. Each disconnecting client causes one, so Node's default (1,000 and 33) would
 * let strangers end the session.
 */
export const STREAM_RESETS = { burst: 10_000, perSecond: 2_000 }
/** Fits every request of HTTP/1.1, although HTTP/2 adds 32 bytes per header. */
export const HEADER_BYTES_MAX = 32 * 1024

/** Timeout from the first byte to the welcome. */
export const OPENING_MS = 10_000
/** Time for which a replaced tunnel still accepts streams, because the relay may not know yet. */
export const OVERLAP_MS = 2_000
/** Time for which a stream may continue in a replaced tunnel. */
export const RETIRED_MS = 30_000
/** Time for open streams to end after the last account was unlinked. */
export const UNLINKED_END_MS = 500
/** A request with the same id is refused within this time, for the latest requests of a gateway. */
export const DUPLICATES_MS = 60_000
export const DUPLICATES_MAX = 8_192

export const PING_EACH_MS = 12_000
/** A request without a response for this time causes an early ping. */
export const ANSWER_DUE_MS = 2_000
export const PONG_WITHIN_MS = 10_000
/** A tunnel without a pong for this time is destroyed, whatever its socket reports. */
export const SILENT_MS = 45_000
