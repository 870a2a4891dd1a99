import type { Readable, Writable } from 'node:stream'
import { Refusal } from '../api/errors.ts'

/**
 * A request's body as a web stream that takes nothing from the connection until it is read.
 * @throws {Refusal} `validation`, from reading, where the body was cut off.
 */
export function webBodyOf(source: Readable): ReadableStream<Uint8Array> {
  const chunks = source.iterator({ destroyOnReturn: false })
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = (await chunks.next()) as IteratorResult<Buffer, undefined>
      if (done === true) controller.close()
      else controller.enqueue(value)
    } catch {
      controller.error(new Refusal('validation', { message: 'The body was cut off.' }))
    }
  }
  // What is left of a body that was refused is dropped, so that the answer can leave.
  const cancel = async (): Promise<void> => {
    await chunks.return?.(undefined)
    source.resume()
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}

/** Writes an answer's body as fast as its reader takes it, until the end or until the reader has left. */
export async function writeBody(body: ReadableStream<Uint8Array>, to: Writable): Promise<void> {
  const reader = body.getReader()
  to.once('close', () => void reader.cancel().catch(() => {}))
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    if (to.destroyed) return
    if (!to.write(piece.value)) await drained(to)
  }
  to.end()
}

/** Waits until a slow reader has taken what was written, or has left. */
function drained(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    const ready = (): void => {
      // Each wait would otherwise leave a listener until the end.
      to.off('drain', ready)
      to.off('close', ready)
      resolve()
    }
    to.once('drain', ready)
    to.once('close', ready)
  })
}
