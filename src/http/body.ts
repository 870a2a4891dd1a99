import type { IncomingMessage } from 'node:http'
import type { Body } from '../api/call.ts'
import { Refusal } from '../api/errors.ts'

/**
 * Reads a request's body without judging it: what is wrong with it is said by the pipeline, after what matters more. A body that
 * is too large is not kept, and read to its end only as far as the request's timeout lets it.
 */
export function readBody(
  headers: IncomingMessage['headers'],
  payload: IncomingMessage,
  bytesMax: number,
  done: (error: Error | null, body?: Body) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let tooLarge = false
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
    else if (!tooLarge) {
      tooLarge = true
      chunks.length = 0
      done(null, { kind: 'too_large' })
    }
  })
  // Nobody is left to hear this; it only says that nothing is wrong here.
  payload.once('error', () => {
    if (!tooLarge) done(new Refusal('validation', { message: 'The body was cut off.' }))
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
