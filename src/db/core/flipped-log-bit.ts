import { readFileSync, writeFileSync } from 'node:fs'
import { isThere } from '../../lib/files.ts'
import { flipBit, flippedBits } from './flipped-bit.ts'

/** Layout of SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat). */
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Part of a header that its checksum covers, and of a frame's header. */
const HEADER_SUMMED = 24
const FRAME_SUMMED = 8
const PAGE_BYTES_AT = 8
const SALTS_AT = 16
const FRAME_SALTS_AT = 8
const SALTS_BYTES = 8
const MAGIC = 0x377f0682
const PAGES_BYTES: readonly number[] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]

type Sums = readonly [number, number]

/** `damaged`: one bit is wrong, and more than one bit could be it. */
export type LogState = 'sound' | 'put right' | 'damaged'

/**
 * Puts right the one bit of a write-ahead log that makes a checksum wrong: SQLite would take the log to end there, and
 * drop every later commit. The checksums do not always tell which bit it is. What a power cut left half-written differs
 * in more than a bit, and so do frames of before the log was begun anew.
 */
export function putRightLogBit(database: string): LogState {
  const file = `${database}-wal`
  if (!isThere(file)) return 'sound'
  const log = readFileSync(file)
  if (log.length < HEADER_BYTES) return 'sound'
  const header = log.subarray(0, HEADER_BYTES)
  const wrong = isHeader(header) ? wrongFrame(log) : { bytes: header, isRight: isHeader }
  const [bit, ...others] = wrong === null ? [] : flippedBits(wrong.bytes, wrong.isRight)
  if (wrong === null || bit === undefined) return 'sound'
  if (others.length > 0) return 'damaged'
  flipBit(wrong.bytes, bit)
  writeFileSync(file, log, { flush: true })
  return 'put right'
}

const isHeader = (header: Buffer): boolean =>
  (header.readUInt32BE(0) & ~1) >>> 0 === MAGIC &&
  PAGES_BYTES.includes(header.readUInt32BE(PAGE_BYTES_AT)) &&
  areSums(header, HEADER_SUMMED, summed(header, 0, HEADER_SUMMED, [0, 0], isBigEndian(header)))

const isBigEndian = (header: Buffer): boolean => (header.readUInt32BE(0) & 1) === 1
const sumsAt = (bytes: Buffer, at: number): Sums => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
const areSums = (bytes: Buffer, at: number, [one, other]: Sums): boolean =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === other

interface Wrong {
  readonly bytes: Buffer
  readonly isRight: (bytes: Buffer) => boolean
}

/** The first frame that is not right; null where its salts say that it is of another log. */
function wrongFrame(log: Buffer): Wrong | null {
  const salts = log.subarray(SALTS_AT, SALTS_AT + SALTS_BYTES)
  const isBig = isBigEndian(log)
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(PAGE_BYTES_AT)
  let sums = sumsAt(log, HEADER_SUMMED)
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const bytes = log.subarray(at, at + frameBytes)
    const before = sums
    const isRight = (frame: Buffer): boolean => isFrame(frame, salts, before, isBig)
    if (!isRight(bytes)) return bitsBetween(saltsOf(bytes), salts) <= 1 ? { bytes, isRight } : null
    sums = sumsAt(bytes, FRAME_SALTS_AT + SALTS_BYTES)
  }
  return null
}

const saltsOf = (frame: Buffer): Buffer => frame.subarray(FRAME_SALTS_AT, FRAME_SALTS_AT + SALTS_BYTES)

function isFrame(frame: Buffer, salts: Buffer, before: Sums, isBig: boolean): boolean {
  if (!saltsOf(frame).equals(salts)) return false
  const head = summed(frame, 0, FRAME_SUMMED, before, isBig)
  return areSums(frame, FRAME_SALTS_AT + SALTS_BYTES, summed(frame, FRAME_HEADER_BYTES, frame.length, head, isBig))
}

/** SQLite's checksum of a log, of pairs of words of 32 bits. */
function summed(bytes: Buffer, from: number, to: number, [first, second]: Sums, isBig: boolean): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [one, other] = [first, second]
  for (let at = from; at < to; at += 8) {
    one = (one + view.getUint32(at, !isBig) + other) >>> 0
    other = (other + view.getUint32(at + 4, !isBig) + one) >>> 0
  }
  return [one, other]
}

function bitsBetween(one: Buffer, other: Buffer): number {
  return one.reduce((sum, byte, index) => sum + (byte ^ (other[index] ?? 0)).toString(2).replaceAll('0', '').length, 0)
}
