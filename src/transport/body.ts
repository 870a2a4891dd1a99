import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Body } from '../api/call.ts'
import { Refusal } from '../api/errors.ts'

/**
 * Reads a request's body without validating it; the pipeline does that after its earlier refusals. An oversized body is
 * reported as soon as its length is known or exceeded. The rest is read and dropped until the request times out.
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
  // A too large Content-Length is refused before any of the body arrives.
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
  const over = (isWhole: boolean): void => {
    if (isDone) return
    isDone = true
    if (isWhole) done(null, bodyOf(headers, chunks))
    else done(cutOff())
  }
  payload.once('error', () => over(false))
  payload.once('end', () => over(true))
  // Cancelled HTTP/2 streams close without an error.
  payload.once('close', () => over(false))
}

/** Reads a completely received body at once, so that it can no longer be cut off. */
function readWhole(headers: IncomingMessage['headers'], payload: Readable, bytesMax: number): Body {
  const chunks: Buffer[] = []
  for (let chunk = payload.read() as Buffer | null; chunk !== null; chunk = payload.read() as Buffer | null)
    chunks.push(chunk)
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
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

/** The connection is closed, so no client reads this; a `Refusal` keeps it out of the log of defects. */
const cutOff = (): Refusal => new Refusal('validation', { message: 'The body was cut off.' })

const isWhole = (payload: Readable): boolean => 'complete' in payload && payload.complete === true
