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
  const chunks: Buffer[] = []
  let bytes = 0
  // Whoever announces too much need not send any of it to learn that.
  let tooLarge = Number(headers['content-length'] ?? 0) > bytesMax
  if (tooLarge) done(null, { kind: 'too_large', bytesMax })
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
    else if (!tooLarge) {
      tooLarge = true
      chunks.length = 0
      done(null, { kind: 'too_large', bytesMax })
    }
  })
  payload.once('error', () => {
    if (!tooLarge) done(cutOff())
  })
  payload.once('end', () => {
    if (tooLarge) return
    const encoding = headers['content-encoding']
    done(null, {
      kind: 'bytes',
      bytes: Buffer.concat(chunks),
      mediaType: headers['content-type'] ?? null,
      encoded: encoding !== undefined && encoding !== 'identity',
    })
  })
}

/** The connection is gone, so no client reads this; a `Refusal` only keeps the log free of a defect that is none. */
const cutOff = (): Refusal => new Refusal('validation', { message: 'The body was cut off.' })
