import type { IncomingMessage } from 'node:http'
import type { Body } from '../api/call.ts'

/**
 * Reads a request's body without judging it: what is wrong with it is said by the pipeline, after what matters more. A body that
 * is too large is not kept, and read to its end only as far as the request's timeout lets it.
 */
export function readBody(headers: IncomingMessage['headers'], payload: IncomingMessage, bytesMax: number, done: (error: Error | null, body?: Body) => void): void {
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
  payload.once('error', (error) => {
    if (!tooLarge) done(error)
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
