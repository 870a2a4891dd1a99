/**
 * Result of parsing the first bytes of a connection.
 * - `more`: incomplete; at least `needed` bytes are necessary.
 * - `no_hello`: not TLS.
 * - `hello`: a ClientHello with its server name in lower case.
 */
export type FirstBytes =
  | { readonly kind: 'more'; readonly needed: number }
  | { readonly kind: 'no_hello' }
  | { readonly kind: 'hello'; readonly serverName: string | null }

/** Size of a ClientHello with its record headers; browsers send less than 2 KiB. */
export const CLIENT_HELLO_BYTES_MAX = 16 * 1024
/** Records of one ClientHello, because some clients split it. */
export const CLIENT_HELLO_RECORDS_MAX = 16

const HANDSHAKE_RECORD = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const HOST_NAME = 0
const RECORD_HEADER_BYTES = 5
const MESSAGE_HEADER_BYTES = 4
const NO_HELLO = { kind: 'no_hello' } as const

/** Reads only the server name of a ClientHello (RFC 8446 section 4.1.2, RFC 6066 section 3). */
export function readFirstBytes(bytes: Buffer): FirstBytes {
  const fragments: Buffer[] = []
  let [at, gathered] = [0, 0]
  for (let records = 0; records < CLIENT_HELLO_RECORDS_MAX; records += 1) {
    const record = recordAt(bytes, at)
    if (record.kind !== 'record') return record
    fragments.push(record.fragment)
    gathered += record.fragment.length
    at = record.end
    const message = gathered < MESSAGE_HEADER_BYTES ? null : Buffer.concat(fragments)
    if (message === null) continue
    const end = MESSAGE_HEADER_BYTES + message.readUIntBE(1, 3)
    if (message[0] !== CLIENT_HELLO || end > CLIENT_HELLO_BYTES_MAX) return NO_HELLO
    if (gathered >= end) return helloOf(new Fields(message.subarray(MESSAGE_HEADER_BYTES, end)))
  }
  return NO_HELLO
}

type RecordAt = { readonly kind: 'record'; readonly fragment: Buffer; readonly end: number } | FirstBytes

function recordAt(bytes: Buffer, at: number): RecordAt {
  if (bytes.length > at && bytes[at] !== HANDSHAKE_RECORD) return NO_HELLO
  const body = at + RECORD_HEADER_BYTES
  if (bytes.length < body) return more(body)
  const length = bytes.readUInt16BE(at + 3)
  if (bytes[at + 1] !== 3 || length === 0) return NO_HELLO
  const end = body + length
  return bytes.length < end ? more(end) : { kind: 'record', fragment: bytes.subarray(body, end), end }
}

function more(needed: number): FirstBytes {
  return needed > CLIENT_HELLO_BYTES_MAX ? NO_HELLO : { kind: 'more', needed }
}

function helloOf(hello: Fields): FirstBytes {
  try {
    hello.skip(2 + 32)
    hello.vector(1)
    hello.vector(2)
    hello.vector(1)
    const serverName = hello.isAtEnd ? null : serverNameIn(new Fields(hello.vector(2)))
    return hello.isAtEnd ? { kind: 'hello', serverName } : NO_HELLO
  } catch (error) {
    if (error instanceof RangeError) return NO_HELLO
    throw error
  }
}

/** @throws RangeError if a length points beyond the end. */
function serverNameIn(extensions: Fields): string | null {
  let found: string | null = null
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    const names = new Fields(extensions.vector(2))
    if (type !== SERVER_NAME) continue
    const name = new Fields(names.vector(2))
    // RFC 6066 defines one type of name, and allows one name of it.
    if (name.number(1) === HOST_NAME) found = name.vector(2).toString('latin1').toLowerCase()
  }
  return found
}

/** Reads big-endian numbers and vectors from the left. */
class Fields {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** @throws RangeError if fewer bytes are left. */
  number(bytes: number): number {
    const value = this.#bytes.readUIntBE(this.#at, bytes)
    this.#at += bytes
    return value
  }

  skip(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) throw new RangeError('The ClientHello is cut off.')
    this.#at += bytes
  }

  /** Bytes that follow their own length; `lengthBytes` is the size of that length. */
  vector(lengthBytes: number): Buffer {
    const length = this.number(lengthBytes)
    const from = this.#at
    this.skip(length)
    return this.#bytes.subarray(from, this.#at)
  }
}
