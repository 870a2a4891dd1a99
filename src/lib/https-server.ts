import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Total size of a request's headers. Browsers send every cookie of the host, even from services on other ports. */
export const HEADER_BYTES_MAX = 16_384
const HANDSHAKE_MS = 5_000
const HEADERS_MS = 5_000
const REQUEST_MS = 10_000
const KEEP_ALIVE_MS = 75_000
const CHECK_EVERY_MS = 1_000

/**
 * Timeouts and limits against slow and hostile peers, as options of Node's HTTPS server, for the gateway's and the
 * relay's port (docs/limits.md).
 */
export const SERVER_BOUNDS = {
  handshakeTimeout: HANDSHAKE_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  maxHeaderSize: HEADER_BYTES_MAX,
  // Otherwise Node itself refuses a request without Host, not in our Error format.
  requireHostHeader: false,
} as const

/** Protocols for TLS (ALPN), the preferred first. A client that offers neither is refused. */
export const HTTP_PROTOCOLS = ['http/1.1', 'http/1.0']

const TOO_LARGE = `The headers are too large: ${HEADER_BYTES_MAX / 1024} KiB at most. In a browser they are mostly cookies of other services on the same host name: delete its cookies for this name, then load the page again.`

/** 16 bytes in base64 (RFC 6455 section 4.1). */
const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/

/** True if a request is a valid WebSocket upgrade, on any path. */
export function asksForWebSocket({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    WEBSOCKET_KEY.test(headers['sec-websocket-key'] ?? '')
  )
}

/** Refusals of invalid HTTP requests, by status: the connection ends with them. */
export const CONNECTION_REFUSALS = {
  400: { reason: 'Bad Request', message: 'This is not a valid HTTP request.' },
  408: { reason: 'Request Timeout', message: 'The request took too long to arrive.' },
  431: {
    reason: 'Request Header Fields Too Large',
    message: TOO_LARGE,
  },
} as const

/**
 * Refuses bytes that are not HTTP in the Error format, if the socket is still writable, and closes the connection.
 * @param headers sent with every response of this server
 */
export function refuseBytes(
  error: Error & { code?: string },
  socket: Duplex,
  headers: readonly (readonly [name: string, value: string])[] = [],
): void {
  const { code = '' } = error
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const { reason, message } = CONNECTION_REFUSALS[status]
  const body = JSON.stringify({ error: { code: 'validation', message } })
  const added = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\n${added}Connection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
