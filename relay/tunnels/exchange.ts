import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import type { z } from 'zod'
import { parseJson } from '@hm-gateway/lib/json.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'

const ANSWER_BYTES_MAX = 64 * 1024
export const CONTROL_MS = 10_000

/** One question of the relay itself to a gateway: POST where it has a body, otherwise GET. */
export interface Question<S extends z.ZodType> {
  readonly path: string
  readonly body?: object
  readonly answer: S
  /** How long the gateway has. */
  readonly waitMs?: number
  /** The asker has no use for an answer any more. */
  readonly signal?: AbortSignal
}

/**
 * `offline`: nothing was sent. `timeout`: the question may have been carried out. `hostile`: what came is no answer of
 * this protocol. `refused`: the gateway refused, with a body that nobody has checked.
 */
export type ExchangeFailure =
  | { readonly kind: 'offline' | 'timeout' | 'hostile' }
  | { readonly kind: 'refused'; readonly status: number; readonly body: unknown }

/** Opens the stream of a question; anything but a stream: there is none. */
export interface ControlLine {
  open(
    headers: OutgoingHttpHeaders,
    endStream: boolean,
  ): ClientHttp2Stream | string | Promise<ClientHttp2Stream | string>
}

/** Asks a gateway over its control stream, and holds the answer against its shape: it is a stranger's. */
export async function exchange<S extends z.ZodType>(
  line: ControlLine,
  { path, body, answer, waitMs = CONTROL_MS, signal }: Question<S>,
  clock: Clock,
): Promise<Result<z.output<S>, ExchangeFailure>> {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = { ':method': method, ':path': path, ':authority': 'control', ':scheme': 'https' }
  const stream = await line.open(headers, body === undefined)
  if (typeof stream === 'string') return fail({ kind: 'offline' })
  if (body !== undefined) stream.end(JSON.stringify(body))
  const left = (): void => abandon(stream)
  const cancel = clock.after(waitMs, left)
  signal?.addEventListener('abort', left, { once: true })
  const received = await receive(stream)
  cancel()
  signal?.removeEventListener('abort', left)
  if (received === null) return fail({ kind: 'timeout' })
  const content = parseJson(received.text)
  if (!content.ok) return fail({ kind: 'hostile' })
  if (received.status !== 200) return fail({ kind: 'refused', status: received.status, body: content.value })
  const parsed = answer.safeParse(content.value)
  return parsed.success ? ok(parsed.data) : fail({ kind: 'hostile' })
}

interface Received {
  readonly status: number
  readonly text: string
}

/** Status and body of a whole answer; null where there was none, or more than any answer has. */
function receive(stream: ClientHttp2Stream): Promise<Received | null> {
  const { promise, resolve } = Promise.withResolvers<Received | null>()
  const chunks: Buffer[] = []
  let bytes = 0
  let status = 0
  stream.on('error', () => resolve(null))
  stream.once('response', (headers) => {
    status = headers[':status'] ?? 0
  })
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) abandon(stream)
    else chunks.push(chunk)
  })
  stream.once('end', () => resolve(status === 0 ? null : { status, text: Buffer.concat(chunks).toString('utf8') }))
  stream.once('close', () => resolve(null))
  return promise
}
