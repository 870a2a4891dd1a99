/** A piece of a stream, and whether it is the last. */
export interface Chunk {
  readonly bytes: Buffer
  readonly isLast: boolean
}

/** The stream in pieces of one size, of which the last may be shorter; at least one, which may be empty. */
export async function* chunked(stream: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Chunk> {
  let waiting: Buffer[] = []
  let held = 0
  for await (const bytes of stream) {
    waiting.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    held += bytes.length
    // What could be the last is held back until there is more.
    if (held <= size) continue
    const whole = Buffer.concat(waiting)
    let from = 0
    for (; whole.length - from > size; from += size) yield { bytes: whole.subarray(from, from + size), isLast: false }
    waiting = [whole.subarray(from)]
    held = whole.length - from
  }
  yield { bytes: Buffer.concat(waiting), isLast: true }
}
