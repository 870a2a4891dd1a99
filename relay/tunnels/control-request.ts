import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import type { z } from 'zod'
import { parseJson } from '@hm-gateway/lib/json.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'

const RESPONSE_BYTES_MAX = 64 * 1024
export const CONTROL_TIMEOUT_MS = 10_000

/** A request of the relay itself to a gateway: POST with a body, otherwise GET. */
export interface ControlRequest<S extends z.ZodType> {
  readonly path: string
  readonly body?: object
  /** Schema of the response. */
  readonly response: S
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/**
 * - `offline`: no request was sent.
 * - `timeout`: the gateway did not respond, but may have carried out the request.
 * - `hostile`: the response breaks the protocol.
 * - `refused`: the gateway sent an error; its body is unchecked.
 */
export type RequestFailure =
  | { readonly kind: 'offline' | 'timeout' | 'hostile' }
  | { readonly kind: 'refused'; readonly status: number; readonly body: unknown }

/** Opens the stream of a control request; a string says why there is no stream. */
export interface ControlChannel {
  open(
    headers: OutgoingHttpHeaders,
    endStream: boolean,
  ): ClientHttp2Stream | string | Promise<ClientHttp2Stream | string>
}

/** Sends a request over the control stream, and validates the untrusted response against its schema. */
export async function sendControlRequest<S extends z.ZodType>(
  channel: ControlChannel,
  { path, body, response, timeoutMs = CONTROL_TIMEOUT_MS, signal }: ControlRequest<S>,
  clock: Clock,
): Promise<Result<z.output<S>, RequestFailure>> {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = { ':method': method, ':path': path, ':authority': 'control', ':scheme': 'https' }
  const stream = await channel.open(headers, body === undefined)
  if (typeof stream === 'string') return fail({ kind: 'offline' })
  if (body !== undefined) stream.end(JSON.stringify(body))
  const abort = (): void => abandon(stream)
  const cancelTimeout = clock.after(timeoutMs, abort)
  signal?.addEventListener('abort', abort, { once: true })
  const received = await receive(stream)
  cancelTimeout()
  signal?.removeEventListener('abort', abort)
  if (received === null) return fail({ kind: 'timeout' })
  const content = parseJson(received.text)
  if (!content.ok) return fail({ kind: 'hostile' })
  if (received.status !== 200) return fail({ kind: 'refused', status: received.status, body: content.value })
  const parsed = response.safeParse(content.value)
  return parsed.success ? ok(parsed.data) : fail({ kind: 'hostile' })
}

interface ReceivedResponse {
  readonly status: number
  readonly text: string
}

/** Reads a whole response; null if the stream ends before it, or its body is longer than `RESPONSE_BYTES_MAX`. */
function receive(stream: ClientHttp2Stream): Promise<ReceivedResponse | null> {
  const { promise, resolve } = Promise.withResolvers<ReceivedResponse | null>()
  const chunks: Buffer[] = []
  let bytes = 0
  let status = 0
  stream.on('error', () => resolve(null))
  stream.once('response', (headers) => {
    status = headers[':status'] ?? 0
  })
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > RESPONSE_BYTES_MAX) abandon(stream)
    else chunks.push(chunk)
  })
  stream.once('end', () => resolve(status === 0 ? null : { status, text: Buffer.concat(chunks).toString('utf8') }))
  stream.once('close', () => resolve(null))
  return promise
}
