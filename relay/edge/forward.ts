import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import type { Random } from '@hm-gateway/lib/random.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'
import {
  ANSWER_HEADERS,
  type Authority,
  headersNamed,
  PEER_HEADER,
  REQUEST_HEADER,
  REQUEST_HEADERS,
} from '@hm-gateway/wire/tunnel.ts'
import type { Directory } from '../tunnels/directory.ts'
import { openStream } from '../tunnels/open-stream.ts'
import { OFFLINE_RETRY_SECONDS, refuse } from './refusals.ts'
import type { RelayParts } from '../store/parts.ts'

/** From the request until the first byte of the gateway's answer. */
export const ANSWER_MS = 30_000
/** A body beyond this is cut off: the gateway refuses it then. */
const BODY_BYTES_MAX = 256 * 1024
const REQUEST_ID_BYTES = 16
/** What may be asked twice. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD']

export interface ForwardParts extends Pick<RelayParts, 'clock' | 'random' | 'metrics'> {
  readonly directory: Directory
}

/** Where a request goes. */
export interface Destination {
  readonly gateway: string
  readonly authority: Exclude<Authority, 'control' | 'tls'>
  /** Path and query, as the gateway gets them. */
  readonly path: string
  readonly token: string | null
  readonly peer: string
  /** The body where it was read already; otherwise what is still on its way. */
  readonly body?: Buffer
  /** Says how to authenticate, where the gateway refuses with 401. */
  readonly challenge: () => string
  /** Called with the status of the gateway's answer. */
  readonly answered: (status: number) => void
}

/**
 * Sends a request through its gateway's tunnel, and the answer back as it comes. One that changes nothing is sent once
 * more, by another node than `failed`, where no byte of an answer came.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  destination: Destination,
  parts: ForwardParts,
  failed: string | null = null,
): Promise<void> {
  const hasBody = destination.body === undefined ? bringsBody(request) : destination.body.length > 0
  const headers = { ...relayedHeaders(request, destination, parts.random), ':method': request.method }
  const begin = { headers, endStream: !hasBody, isCancelled: () => response.destroyed }
  const opened = await openStream(parts.directory, destination.gateway, begin, failed)
  if (opened === 'cancelled') return
  if (opened === 'gone') return failed === null ? offline(response, parts) : unanswered(response, parts)
  if (opened === 'busy') return busy(response)
  const { stream, node } = opened
  if (destination.body !== undefined) stream.end(destination.body)
  else if (hasBody) sendBody(request, stream)
  let isCancelled = false
  response.once('close', () => {
    isCancelled = true
    if (!response.writableFinished) abandon(stream)
  })
  const again = (): boolean => {
    if (isCancelled || hasBody || failed !== null || !SAFE_METHODS.includes(request.method ?? '')) return false
    forward(request, response, destination, parts, node).catch(() => unanswered(response, parts))
    return true
  }
  passAnswer({ request, stream, parts, destination, responseTo: () => response, again })
}

/** Too many requests to one home are under way. */
export function busy(response: ServerResponse): void {
  refuse(response, 'rate_limited', { details: { retryAfter: 1 } })
}

/** Nobody holds the gateway's tunnel: the same for one that is away and for one that there is not. */
export function offline(response: ServerResponse, { metrics }: ForwardParts): void {
  metrics.offline.add()
  refuse(response, 'gateway_offline', { details: { retryAfter: OFFLINE_RETRY_SECONDS } })
}

/** What of a client's request reaches the gateway, and what the relay says beside it. */
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

function bringsBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** Sends the body as it comes; what is beyond its bound, or comes after the answer, is read and dropped. */
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

/** What becomes of a stream that was opened for a request. */
export interface Answering {
  readonly request: IncomingMessage
  readonly stream: ClientHttp2Stream
  readonly parts: ForwardParts
  readonly destination: Pick<Destination, 'challenge' | 'answered'>
  /** Where an answer of this status is written; null where it is none that is written. 0: the gateway gave none. */
  readonly responseTo: (status: number) => ServerResponse | null
  /** Asked where no answer came in time: true where the request was sent once more. */
  readonly again: () => boolean
}

/** Waits for the gateway's answer and passes it on, or says that there is none. */
export function passAnswer({ request, stream, parts, destination, responseTo, again }: Answering): void {
  const { clock, metrics } = parts
  const since = clock.monotonic()
  let isLate = false
  let hasAnswer = false
  const cancel = clock.after(ANSWER_MS, () => {
    isLate = true
    abandon(stream)
  })
  stream.once('response', (headers) => {
    cancel()
    hasAnswer = true
    metrics.gatewaySeconds.observe((clock.monotonic() - since) / 1_000)
    destination.answered(headers[':status'] ?? 0)
    const response = responseTo(headers[':status'] ?? 0)
    if (response === null) return
    if (!begin(response, headers, destination.challenge)) {
      abandon(stream)
      return unanswered(response, parts)
    }
    request.resume()
    stream.pipe(response)
    // The headers were sent, so only the end of the connection can tell the client that the body is not whole.
    stream.once('close', () => {
      if (!stream.readableEnded && !response.writableFinished) response.destroy()
    })
  })
  stream.once('close', () => {
    cancel()
    if (hasAnswer || (!isLate && stream.rstCode !== constants.NGHTTP2_ENHANCE_YOUR_CALM && again())) return
    const response = responseTo(0)
    if (response === null) return
    if (!isLate && stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) offline(response, parts)
    else if (!isLate && stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) busy(response)
    else unanswered(response, parts)
  })
}

/** The gateway may have carried the request out, or not. */
function unanswered(response: ServerResponse, { metrics }: ForwardParts): void {
  metrics.timeouts.add()
  refuse(response, 'gateway_timeout', { details: { retryAfter: OFFLINE_RETRY_SECONDS } })
}

type GatewayHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader

/** Writes status and headers; false for those that no gateway of ours sends. */
function begin(response: ServerResponse, headers: GatewayHeaders, challenge: () => string): boolean {
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
    // What comes event by event begins before its first one.
    if (String(passed['content-type']).startsWith('text/event-stream')) response.flushHeaders()
    return true
  } catch {
    return false
  }
}
