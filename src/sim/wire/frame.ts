/**
 * Frames of docs/hmhc.md, section 1: stuffing, checksum, kinds. Written from that page alone, as an adapter's maker
 * would.
 */

/** Bytes of a frame before stuffing. */
const FRAME_BYTES_MAX = 253
export const PAYLOAD_BYTES_MAX = FRAME_BYTES_MAX - 6
/** Bytes between two delimiters. */
const STUFFED_BYTES_MAX = 254
const FRAME_BYTES_MIN = 6

export const KIND = { data: 1, ack: 2, nak: 3, rst: 4, rstack: 5, error: 6, ping: 7, pong: 8 } as const
export type Kind = (typeof KIND)[keyof typeof KIND]

export interface Frame {
  readonly kind: Kind
  readonly session: number
  readonly seq: number
  readonly payload: Buffer
}

export type Discard = 'overlong' | 'cobs' | 'short' | 'crc' | 'form'

const MAGIC = Buffer.from('HMHC', 'ascii')
/** Shortest and longest payload of each kind. */
const PAYLOAD_BYTES: Readonly<Record<Kind, readonly [number, number]>> = {
  1: [1, PAYLOAD_BYTES_MAX],
  2: [0, 0],
  3: [1, 1],
  4: [9, 9],
  5: [10, 10],
  6: [6, 6],
  7: [0, 0],
  8: [0, 0],
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, index) => {
  let crc = index << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})

/** CRC-16, polynomial 1021, start FFFF. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (CRC_TABLE[(crc >> 8) ^ byte] ?? 0)
  return crc
}

/** Encodes a frame for the wire, both delimiters included. */
export function encodeFrame(frame: Frame): Buffer {
  const plain = Buffer.alloc(frame.payload.length + FRAME_BYTES_MIN)
  plain[0] = frame.kind
  plain.writeUInt16BE(frame.session, 1)
  plain[3] = frame.seq
  frame.payload.copy(plain, 4)
  plain.writeUInt16BE(crc16(plain.subarray(0, -2)), plain.length - 2)
  return stuff(plain)
}

function stuff(plain: Buffer): Buffer {
  const wire = Buffer.alloc(plain.length + 3)
  let code = 1
  for (let index = 0; index < plain.length; index++) {
    const byte = plain[index] ?? 0
    wire[index + 2] = byte
    if (byte !== 0) continue
    wire[code] = index + 2 - code
    code = index + 2
  }
  wire[code] = plain.length + 2 - code
  return wire
}

function unstuff(stuffed: Buffer): Buffer | null {
  const plain = Buffer.alloc(stuffed.length - 1)
  stuffed.copy(plain, 0, 1)
  let code = 0
  for (;;) {
    const next = code + (stuffed[code] ?? 0)
    if (next > stuffed.length) return null
    if (next === stuffed.length) return plain
    plain[next - 1] = 0
    code = next
  }
}

function readFrame(stuffed: Buffer): Frame | Discard {
  const plain = unstuff(stuffed)
  if (plain === null) return 'cobs'
  if (plain.length < FRAME_BYTES_MIN) return 'short'
  if (crc16(plain.subarray(0, -2)) !== plain.readUInt16BE(plain.length - 2)) return 'crc'
  const kind = kindOf(plain[0] ?? 0)
  const payload = plain.subarray(4, -2)
  if (kind === null || payload.length < PAYLOAD_BYTES[kind][0] || payload.length > PAYLOAD_BYTES[kind][1]) return 'form'
  const hasMagic = kind === KIND.rst || kind === KIND.rstack || kind === KIND.error
  if (hasMagic && !payload.subarray(0, 4).equals(MAGIC)) return 'form'
  return { kind, session: plain.readUInt16BE(1), seq: plain[3] ?? 0, payload }
}

function kindOf(byte: number): Kind | null {
  for (const kind of Object.values(KIND)) if (kind === byte) return kind
  return null
}

/** Splits a byte stream of any pieces into frames; never throws, buffers at most one frame. */
export class FrameReader {
  readonly #held = Buffer.alloc(STUFFED_BYTES_MAX)
  #length = 0
  #overlong = false
  readonly #onFrame: (frame: Frame) => void
  readonly #onDiscard: (why: Discard) => void

  constructor(onFrame: (frame: Frame) => void, onDiscard: (why: Discard) => void) {
    this.#onFrame = onFrame
    this.#onDiscard = onDiscard
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === 0) this.#cut()
      else if (this.#length < STUFFED_BYTES_MAX) this.#held[this.#length++] = byte
      else this.#overlong = true
    }
  }

  #cut(): void {
    const length = this.#length
    const overlong = this.#overlong
    this.#length = 0
    this.#overlong = false
    if (overlong) this.#onDiscard('overlong')
    else if (length > 0) this.#deliver(readFrame(Buffer.from(this.#held.subarray(0, length))))
  }

  #deliver(read: Frame | Discard): void {
    if (typeof read === 'string') this.#onDiscard(read)
    else this.#onFrame(read)
  }
}

/** A frame with a raw payload. */
export function frameOf(kind: Kind, session: number, seq: number, payload: Uint8Array | readonly number[] = []): Frame {
  return { kind, session, seq, payload: Buffer.from(payload) }
}

export const magicPayload = (...rest: readonly number[]): Buffer => Buffer.concat([MAGIC, Buffer.from(rest)])
