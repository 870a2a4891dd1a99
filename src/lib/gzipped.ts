import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Shorter bytes are sent uncompressed: they fit into a few packets anyway. */
export const GZIP_BYTES_MIN = 4_096
/** Saves most of the possible size in a fraction of the best level's time. */
const LEVEL = 3

const compress = promisify(gzip)

/**
 * Bytes that are sent often, with their gzip form: compressed at the first request, off the main thread, and cached.
 */
export class Gzipped {
  readonly bytes: Buffer
  #gzip: Buffer | Promise<Buffer> | null = null

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The compressed bytes, or a promise of them; null if the bytes are too few. */
  gzip(): Buffer | Promise<Buffer> | null {
    if (this.bytes.length < GZIP_BYTES_MIN) return null
    this.#gzip ??= this.#compress()
    return this.#gzip
  }

  async #compress(): Promise<Buffer> {
    try {
      const made = await compress(this.bytes, { level: LEVEL })
      this.#gzip = made
      return made
    } catch (error) {
      this.#gzip = null
      throw error
    }
  }
}

const CODING = /^\s*(gzip|x-gzip|\*)\s*(?:;\s*q=([\d.]+)\s*)?$/i

/** True if `Accept-Encoding` allows gzip (RFC 9110 section 12.5.3): by name, or by `*` without the name. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  const codings = header.split(',').flatMap((word) => {
    const [, name = '', quality = '1'] = CODING.exec(word) ?? []
    return name === '' ? [] : [{ any: name === '*', taken: Number(quality) > 0 }]
  })
  return (codings.find(({ any }) => !any) ?? codings[0])?.taken === true
}
