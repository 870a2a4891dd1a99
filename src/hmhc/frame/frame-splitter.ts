import { unstuff } from './cobs.ts'
import { decodeFrame, STUFFED_BYTES_MAX } from './frame.ts'
import type { DiscardReason, Frame } from './frame.ts'

/** What the splitter found: a frame, or bytes that are none. */
export type Found = { readonly frame: Frame } | { readonly discarded: DiscardReason; readonly bytes: number }

/**
 * Cuts a stream of bytes into frames, in whatever pieces it comes (docs/hmhc.md 1.1). Holds at most one frame, needs no
 * timer, and returns what it discards.
 */
export class FrameSplitter {
  readonly #buffer = new Uint8Array(STUFFED_BYTES_MAX)
  /** Bytes since the last delimiter, also those beyond the buffer that were not kept. */
  #length = 0

  /** Bytes held back for a frame that is not whole yet. */
  get held(): number {
    return Math.min(this.#length, STUFFED_BYTES_MAX)
  }

  push(chunk: Uint8Array): Found[] {
    const found: Found[] = []
    let from = 0
    while (from < chunk.length) {
      const delimiter = chunk.indexOf(0, from)
      this.#keep(chunk, from, delimiter < 0 ? chunk.length : delimiter)
      if (delimiter < 0) break
      if (this.#length > 0) found.push(this.#cut())
      this.#length = 0
      from = delimiter + 1
    }
    return found
  }

  /** Forgets half a frame: for a new line. */
  clear(): void {
    this.#length = 0
  }

  #keep(chunk: Uint8Array, from: number, to: number): void {
    const room = STUFFED_BYTES_MAX - this.#length
    if (room > 0) this.#buffer.set(chunk.subarray(from, Math.min(to, from + room)), this.#length)
    this.#length += to - from
  }

  #cut(): Found {
    const bytes = this.#length
    if (bytes > STUFFED_BYTES_MAX) return { discarded: 'overlong', bytes }
    const length = unstuff(this.#buffer, bytes)
    const frame = length === null ? 'cobs' : decodeFrame(this.#buffer, length)
    return typeof frame === 'string' ? { discarded: frame, bytes } : { frame }
  }
}
