const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
  return crc
})

/** CRC-16 of docs/hmhc.md 1.1 over the first `length` bytes: polynomial 1021, start FFFF, not reflected. */
export function crc16(bytes: Uint8Array, length: number): number {
  let crc = 0xffff
  for (let index = 0; index < length; index++)
    crc = ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ (bytes[index] ?? 0)] ?? 0)
  return crc
}

/** Consistent overhead byte stuffing for frames under 254 bytes, in which no piece is ever split (docs/hmhc.md 1.1). */

/** Stuffs the first `length` bytes of `raw` between two delimiters. */
export function stuff(raw: Uint8Array, length: number): Uint8Array {
  const wire = new Uint8Array(length + 3)
  let head = 1
  for (let index = 0; index < length; index++) {
    const byte = raw[index] ?? 0
    if (byte === 0) {
      wire[head] = index + 2 - head
      head = index + 2
    } else {
      wire[index + 2] = byte
    }
  }
  wire[head] = length + 2 - head
  return wire
}

/**
 * Unstuffs the first `length` bytes (without delimiters) in place. Returns the new length, or null if a piece extends
 * beyond the end.
 */
export function unstuff(bytes: Uint8Array, length: number): number | null {
  let from = 0
  let to = 0
  while (from < length) {
    const piece = bytes[from] ?? 0
    if (from + piece > length) return null
    bytes.copyWithin(to, from + 1, from + piece)
    to += piece - 1
    from += piece
    if (from < length) bytes[to++] = 0
  }
  return to
}

/**
 * The link's frames (docs/hmhc.md 1.2), as bytes and back. Pure: no clock, no session, no interpretation of payloads.
 */

/** Before stuffing. */
const FRAME_BYTES_MAX = 253
/** Stuffed, without delimiters. */
export const STUFFED_BYTES_MAX = FRAME_BYTES_MAX + 1
export const PAYLOAD_BYTES_MAX = 247
const HEADER_BYTES = 4
const CRC_BYTES = 2
const FRAME_BYTES_MIN = HEADER_BYTES + CRC_BYTES

export const BOOT_REASONS = ['power_on', 'reset_button', 'watchdog', 'brown_out', 'update', 'fault'] as const
export type BootReason = (typeof BOOT_REASONS)[number]
export const ERROR_REASONS = ['booted', 'no_session', 'host_silent', 'sequence'] as const
type ErrorReason = (typeof ERROR_REASONS)[number]
export const NAK_REASONS = ['damaged', 'sequence'] as const
export type NakReason = (typeof NAK_REASONS)[number]

interface Numbered {
  readonly session: number
  readonly seq: number
}

export type Frame =
  | (Numbered & { readonly kind: 'data'; readonly payload: Uint8Array })
  | (Numbered & { readonly kind: 'ack' | 'ping' | 'pong' })
  | (Numbered & { readonly kind: 'nak'; readonly reason: NakReason })
  | (Numbered & { readonly kind: 'rst'; readonly version: number; readonly host: number })
  | (Numbered & {
      readonly kind: 'rstack'
      readonly version: number
      readonly bootReason: BootReason
      readonly boot: number
    })
  | (Numbered & { readonly kind: 'error'; readonly reason: ErrorReason; readonly bootReason: BootReason })

const KINDS = [
  'data',
  'ack',
  'nak',
  'rst',
  'rstack',
  'error',
  'ping',
  'pong',
] as const satisfies readonly Frame['kind'][]
const MAGIC = 0x48_4d_48_43

/** Encodes a frame for the wire, delimiters included. */
export function encodeFrame(frame: Frame): Uint8Array {
  const payload = payloadOf(frame)
  if (payload.length > PAYLOAD_BYTES_MAX)
    throw new RangeError(`A frame carries at most ${PAYLOAD_BYTES_MAX} bytes, not ${payload.length}`)
  const raw = new Uint8Array(FRAME_BYTES_MIN + payload.length)
  const view = new DataView(raw.buffer)
  raw[0] = KINDS.indexOf(frame.kind) + 1
  view.setUint16(1, frame.session)
  raw[3] = frame.seq
  raw.set(payload, HEADER_BYTES)
  const end = HEADER_BYTES + payload.length
  view.setUint16(end, crc16(raw, end))
  return stuff(raw, raw.length)
}

function payloadOf(frame: Frame): Uint8Array {
  switch (frame.kind) {
    case 'data':
      return frame.payload
    case 'ack':
    case 'ping':
    case 'pong':
      return new Uint8Array(0)
    case 'nak':
      return Uint8Array.of(NAK_REASONS.indexOf(frame.reason) + 1)
    case 'rst':
      return withMagic(frame.version, ...bytesOf(frame.host))
    case 'rstack':
      return withMagic(frame.version, BOOT_REASONS.indexOf(frame.bootReason) + 1, ...bytesOf(frame.boot))
    case 'error':
      return withMagic(ERROR_REASONS.indexOf(frame.reason) + 1, BOOT_REASONS.indexOf(frame.bootReason) + 1)
  }
}

const bytesOf = (u32: number): number[] => [u32 >>> 24, (u32 >>> 16) & 0xff, (u32 >>> 8) & 0xff, u32 & 0xff]
const withMagic = (...bytes: number[]): Uint8Array => Uint8Array.of(...bytesOf(MAGIC), ...bytes)

/** Reasons for discarding bytes, in the order of the checks. */
export const DISCARD_REASONS = ['overlong', 'cobs', 'short', 'crc', 'form'] as const
export type DiscardReason = (typeof DISCARD_REASONS)[number]

/** Decodes the first `length` unstuffed bytes. The payload is a copy. */
export function decodeFrame(raw: Uint8Array, length: number): Frame | DiscardReason {
  if (length < FRAME_BYTES_MIN) return 'short'
  const view = new DataView(raw.buffer, raw.byteOffset, length)
  const end = length - CRC_BYTES
  if (crc16(raw, end) !== view.getUint16(end)) return 'crc'
  const kind = KINDS[view.getUint8(0) - 1]
  const header = { session: view.getUint16(1), seq: view.getUint8(3) }
  // ERROR frames have session 0, all others have a session.
  if (kind === undefined || (header.session === 0) !== (kind === 'error')) return 'form'
  return decodeKind(kind, header, new DataView(raw.buffer, raw.byteOffset + HEADER_BYTES, end - HEADER_BYTES)) ?? 'form'
}

function decodeKind(kind: Frame['kind'], header: Numbered, body: DataView): Frame | null {
  switch (kind) {
    case 'data':
      return body.byteLength === 0
        ? null
        : { kind, ...header, payload: new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice() }
    case 'ack':
    case 'ping':
    case 'pong':
      return body.byteLength === 0 ? { kind, ...header } : null
    case 'nak': {
      const reason = body.byteLength === 1 ? NAK_REASONS[body.getUint8(0) - 1] : undefined
      return reason === undefined ? null : { kind, ...header, reason }
    }
    case 'rst':
      return hasMagic(body, 9) ? { kind, ...header, version: body.getUint8(4), host: body.getUint32(5) } : null
    case 'rstack': {
      const bootReason = hasMagic(body, 10) ? BOOT_REASONS[body.getUint8(5) - 1] : undefined
      return bootReason === undefined
        ? null
        : { kind, ...header, version: body.getUint8(4), bootReason, boot: body.getUint32(6) }
    }
    case 'error': {
      if (!hasMagic(body, 6)) return null
      const reason = ERROR_REASONS[body.getUint8(4) - 1]
      const bootReason = BOOT_REASONS[body.getUint8(5) - 1]
      return reason === undefined || bootReason === undefined ? null : { kind, ...header, reason, bootReason }
    }
  }
}

const hasMagic = (body: DataView, length: number): boolean => body.byteLength === length && body.getUint32(0) === MAGIC

/** A result of the splitter: a frame, or discarded bytes. */
type Found = { readonly frame: Frame } | { readonly discarded: DiscardReason; readonly bytes: number }

/**
 * Splits a byte stream of any pieces into frames (docs/hmhc.md 1.1). Buffers at most one frame, needs no timer, and
 * returns discarded bytes.
 */
export class FrameSplitter {
  readonly #buffer = new Uint8Array(STUFFED_BYTES_MAX)
  /** Bytes since the last delimiter, including those beyond the buffer. */
  #length = 0

  /** Number of buffered bytes of an incomplete frame. */
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

  /** Drops an incomplete frame: for a new line. */
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
