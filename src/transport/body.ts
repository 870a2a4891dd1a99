import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Body } from '../api/call.ts'
import { Refusal } from '../api/errors.ts'

/**
 * Reads a request's body without judging it: the pipeline refuses a wrong body, after every refusal that comes before
 * it. A body that is too large is reported as soon as it is, or says that it will be; what comes of it is read and
 * dropped until the request's timeout.
 */
export function readBody(
  headers: IncomingMessage['headers'],
  payload: Readable,
  bytesMax: number,
  done: (error: Error | null, body?: Body) => void,
): void {
  if (payload.destroyed) return done(cutOff())
  if (isWhole(payload)) return done(null, readWhole(headers, payload, bytesMax))
  const chunks: Buffer[] = []
  let bytes = 0
  // Whoever announces too much need not send any of it to learn that.
  let isDone = Number(headers['content-length'] ?? 0) > bytesMax
  if (isDone) done(null, { kind: 'too_large', bytesMax })
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
    else if (!isDone) {
      isDone = true
      chunks.length = 0
      done(null, { kind: 'too_large', bytesMax })
    }
  })
  const over = (error: Error | null): void => {
    if (isDone) return
    isDone = true
    if (error) done(error)
    else done(null, bodyOf(headers, chunks))
  }
  payload.once('error', () => over(cutOff()))
  payload.once('end', () => over(null))
  // A cancelled HTTP/2 stream closes without an error.
  payload.once('close', () => over(cutOff()))
}

/** The same for a body that is there as a whole: it is read at once, so that nothing can cut it off any more. */
function readWhole(headers: IncomingMessage['headers'], payload: Readable, bytesMax: number): Body {
  const chunks: Buffer[] = []
  for (let chunk = payload.read() as Buffer | null; chunk !== null; chunk = payload.read() as Buffer | null)
    chunks.push(chunk)
  const bytes = chunks.reduce((sum, each) => sum + each.length, 0)
  return bytes > bytesMax ? { kind: 'too_large', bytesMax } : bodyOf(headers, chunks)
}

function bodyOf(headers: IncomingMessage['headers'], chunks: readonly Buffer[]): Body {
  const encoding = headers['content-encoding']
  return {
    kind: 'bytes',
    bytes: Buffer.concat(chunks),
    mediaType: headers['content-type'] ?? null,
    encoded: encoding !== undefined && encoding !== 'identity',
  }
}

/** The connection is gone, so no client reads this; a `Refusal` only keeps the log free of a defect that is none. */
const cutOff = (): Refusal => new Refusal('validation', { message: 'The body was cut off.' })

const isWhole = (payload: Readable): boolean => 'complete' in payload && payload.complete === true
