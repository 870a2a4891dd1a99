import type { IncomingMessage } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { readBody } from './body.ts'

/**
 * Reads a request's body as text.
 * @returns null if it has more than `bytesMax` @throws {Refusal} `validation` if it was cut off
 */
export function textOf(
  headers: IncomingMessage['headers'],
  payload: Readable,
  bytesMax: number,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    readBody(headers, payload, bytesMax, (error, body) => {
      if (error) reject(error)
      else resolve(body?.kind === 'bytes' ? body.bytes.toString('utf8') : null)
    })
  })
}

/** Writes a response body at the speed of its reader, until the end or until the reader disconnects. */
export async function writeBody(body: ReadableStream<Uint8Array>, to: Writable): Promise<void> {
  const reader = body.getReader()
  to.once('close', () => void reader.cancel().catch(() => {}))
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    if (to.destroyed) return
    if (!to.write(piece.value)) await drained(to)
  }
  to.end()
}

/** Waits until a slow reader has caught up or disconnected. */
function drained(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    const ready = (): void => {
      // Otherwise each wait would leave a listener.
      to.off('drain', ready)
      to.off('close', ready)
      resolve()
    }
    to.once('drain', ready)
    to.once('close', ready)
  })
}
