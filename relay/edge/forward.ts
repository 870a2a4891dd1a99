import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import type { Random } from '@hm-gateway/lib/random.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'
import {
  ANSWER_HEADERS,
  type StreamAuthority,
  headersNamed,
  PEER_HEADER,
  REQUEST_HEADER,
  REQUEST_HEADERS,
} from '@hm-gateway/wire/tunnel.ts'
import type { Directory } from '../tunnels/directory.ts'
import { openStream } from '../tunnels/open-stream.ts'
import { OFFLINE_RETRY_SECONDS, refuse } from './refusals.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Timeout of the first byte of the gateway's response. */
export const FIRST_BYTE_TIMEOUT_MS = 30_000
/** A longer body is cut off, and the gateway refuses it. */
const BODY_BYTES_MAX = 256 * 1024
const REQUEST_ID_BYTES = 16
/** Methods that may be sent twice. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD']

export interface ForwardParts extends Pick<RelayParts, 'clock' | 'random' | 'metrics'> {
  readonly directory: Directory
}

export interface Destination {
  readonly gateway: string
  readonly authority: Exclude<StreamAuthority, 'control' | 'tls'>
  /** Path and query that the gateway receives. */
  readonly path: string
  readonly token: string | null
  readonly peer: string
  /** Body, if it was already read; otherwise the request is streamed. */
  readonly body?: Buffer
  /** `WWW-Authenticate` of a 401. */
  readonly challenge: () => string
  /** Called with the status of the gateway's response. */
  readonly onStatus: (status: number) => void
}

/**
 * Sends a request through its gateway's tunnel and streams the response back. A GET or HEAD without any byte of a
 * response is retried once.
 * @param failedNode node of the first attempt, which the retry avoids.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  destination: Destination,
  parts: ForwardParts,
  failedNode: string | null = null,
): Promise<void> {
  const hasBody = destination.body === undefined ? announcesBody(request) : destination.body.length > 0
  const headers = { ...relayedHeaders(request, destination, parts.random), ':method': request.method }
  const streamRequest = { headers, endStream: !hasBody, isCancelled: () => response.destroyed }
  const opened = await openStream(parts.directory, destination.gateway, streamRequest, failedNode)
  if (opened === 'cancelled') return
  if (opened === 'gone') return failedNode === null ? offline(response, parts) : timeout(response, parts)
  if (opened === 'busy') return busy(response)
  const { stream, node } = opened
  if (destination.body !== undefined) stream.end(destination.body)
  else if (hasBody) sendBody(request, stream)
  let isClosed = false
  response.once('close', () => {
    isClosed = true
    if (!response.writableFinished) abandon(stream)
  })
  const retry = (): boolean => {
    if (isClosed || hasBody || failedNode !== null || !SAFE_METHODS.includes(request.method ?? '')) return false
    forward(request, response, destination, parts, node).catch(() => timeout(response, parts))
    return true
  }
  relayResponse({ request, stream, parts, destination, responseFor: () => response, retry })
}

/** Refuses a request because its home has too many open ones. */
export function busy(response: ServerResponse): void {
  refuse(response, 'rate_limited', { details: { retryAfter: 1 } })
}

/** Refuses a request without a tunnel to its gateway; an unknown gateway gets the same response as an offline one. */
export function offline(response: ServerResponse, { metrics }: ForwardParts): void {
  metrics.offline.add()
  refuse(response, 'gateway_offline', { details: { retryAfter: OFFLINE_RETRY_SECONDS } })
}

/** Headers for the gateway: those of the client that pass, and the relay's own. */
export function relayedHeaders(
  request: IncomingMessage,
  { authority, path, token, peer }: Destination,
  random: Random,
): OutgoingHttpHeaders {
  return {
    ...headersNamed(REQUEST_HEADERS, request.headers),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    [PEER_HEADER]: peer,
    [REQUEST_HEADER]: random.bytes(REQUEST_ID_BYTES).toString('hex'),
    ':scheme': 'https',
    ':authority': authority,
    ':path': path,
  }
}

function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** Streams the body. Bytes beyond `BODY_BYTES_MAX` or after the response are read and dropped. */
function sendBody(request: IncomingMessage, stream: ClientHttp2Stream): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    if (bytes > BODY_BYTES_MAX || stream.destroyed || stream.writableEnded) return
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) stream.end(chunk)
    else if (!stream.write(chunk)) request.pause()
  })
  stream.on('drain', () => request.resume())
  stream.once('close', () => request.resume())
  request.once('end', () => stream.end())
  request.once('error', () => abandon(stream))
}

export interface RelayedStream {
  readonly request: IncomingMessage
  readonly stream: ClientHttp2Stream
  readonly parts: ForwardParts
  readonly destination: Pick<Destination, 'challenge' | 'onStatus'>
  /** Returns the response to write for this status, or null if there is none. Status 0: the gateway sent none. */
  readonly responseFor: (status: number) => ServerResponse | null
  /** Called if the stream closes without a response; returns true if the request was sent again. */
  readonly retry: () => boolean
}

/** Waits for the gateway's response and relays it, or refuses the request. */
export function relayResponse({ request, stream, parts, destination, responseFor, retry }: RelayedStream): void {
  const { clock, metrics } = parts
  const since = clock.monotonic()
  let isTimedOut = false
  let hasResponse = false
  const cancelTimeout = clock.after(FIRST_BYTE_TIMEOUT_MS, () => {
    isTimedOut = true
    abandon(stream)
  })
  stream.once('response', (headers) => {
    cancelTimeout()
    hasResponse = true
    metrics.gatewaySeconds.observe((clock.monotonic() - since) / 1_000)
    destination.onStatus(headers[':status'] ?? 0)
    const response = responseFor(headers[':status'] ?? 0)
    if (response === null) return
    if (!writeHead(response, headers, destination.challenge)) {
      abandon(stream)
      return timeout(response, parts)
    }
    request.resume()
    stream.pipe(response)
    // After the headers, only closing the connection can tell the client that the body is incomplete.
    stream.once('close', () => {
      if (!stream.readableEnded && !response.writableFinished) response.destroy()
    })
  })
  stream.once('close', () => {
    cancelTimeout()
    if (hasResponse || (!isTimedOut && stream.rstCode !== constants.NGHTTP2_ENHANCE_YOUR_CALM && retry())) return
    const response = responseFor(0)
    if (response === null) return
    if (!isTimedOut && stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) offline(response, parts)
    else if (!isTimedOut && stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) busy(response)
    else timeout(response, parts)
  })
}

/** Reports that the gateway did not respond; it may have carried out the request. */
function timeout(response: ServerResponse, { metrics }: ForwardParts): void {
  metrics.timeouts.add()
  refuse(response, 'gateway_timeout', { details: { retryAfter: OFFLINE_RETRY_SECONDS } })
}

type GatewayHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader

/** Writes status and headers; false if they are invalid, which only a hostile gateway sends. */
function writeHead(response: ServerResponse, headers: GatewayHeaders, challenge: () => string): boolean {
  if (response.headersSent || response.destroyed) return false
  const status = headers[':status'] ?? 0
  if (status < 200 || status > 599) return false
  const passed = headersNamed(ANSWER_HEADERS, headers)
  try {
    response.writeHead(status, {
      ...passed,
      ...(status === 401 ? { 'www-authenticate': challenge() } : {}),
      ...(status === 426 ? { upgrade: 'websocket', 'sec-websocket-version': '13' } : {}),
    })
    // An event stream starts before its first event.
    if (String(passed['content-type']).startsWith('text/event-stream')) response.flushHeaders()
    return true
  } catch {
    return false
  }
}
