import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Fewer bytes are sent as they are: they fit into a few packets anyway. */
export const GZIP_BYTES_MIN = 4_096
/** Most of what can be saved, in a fraction of the time that the best takes. */
const LEVEL = 3

const compress = promisify(gzip)

/** Bytes that are sent often, with their gzip: made when it is first asked for, off the main thread, and kept. */
export class Gzipped {
  readonly bytes: Buffer
  #gzip: Buffer | Promise<Buffer> | null = null

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The gzip, or a promise of it while it is made; null where the bytes are too few. */
  gzip(): Buffer | Promise<Buffer> | null {
    if (this.bytes.length < GZIP_BYTES_MIN) return null
    this.#gzip ??= this.#made()
    return this.#gzip
  }

  async #made(): Promise<Buffer> {
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

/** Whether `Accept-Encoding` takes gzip (RFC 9110 section 12.5.3): by name, or by `*` where the name is not there. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  const codings = header.split(',').flatMap((word) => {
    const [, name = '', quality = '1'] = CODING.exec(word) ?? []
    return name === '' ? [] : [{ any: name === '*', taken: Number(quality) > 0 }]
  })
  return (codings.find(({ any }) => !any) ?? codings[0])?.taken === true
}
