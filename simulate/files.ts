import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SeededRandom } from '../src/sim/seeded-random.ts'

export const CORE = 'core.db'
export const HISTORY = 'history.db'
export const REVOKED = 'revoked'
export const REVISIONS = 'revisions.json'
export const NARROWED = 'narrowed.json'

/** Layout of SQLite's write-ahead log and of its index (https://www.sqlite.org/walformat.html). */
const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const INDEX_FRAMES_AT = 16
const INDEX_PAGE_BYTES_AT = 14
const INDEX_COPIED_AT = 96

/** How far a write-ahead log has come: frames written, of them frames that are in the main file already. */
export interface LogMark {
  readonly frames: number
  readonly copied: number
  readonly pageBytes: number
}

/** What the log's index says now; nothing where there is no log yet. */
export function markOfLog(file: string): LogMark {
  const index = `${file}-shm`
  if (!existsSync(index)) return { frames: 0, copied: 0, pageBytes: 4096 }
  const bytes = Buffer.alloc(INDEX_COPIED_AT + 4)
  const handle = openSync(index, 'r')
  try {
    readSync(handle, bytes, 0, bytes.length, 0)
  } finally {
    closeSync(handle)
  }
  const pageBytes = bytes.readUInt16LE(INDEX_PAGE_BYTES_AT)
  return {
    frames: bytes.readUInt32LE(INDEX_FRAMES_AT),
    copied: bytes.readUInt32LE(INDEX_COPIED_AT),
    pageBytes: pageBytes === 1 ? 65_536 : pageBytes,
  }
}

/** The least and the most frames of a log that a power cut leaves. */
export interface LogRange {
  readonly least: number
  readonly most: number
}

/** What of a log was made sure of by a sync, and is there after a power cut. */
export class SyncedLog {
  readonly #file: string
  #frames = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Everything that is written by now was synced. */
  synced(): void {
    this.#frames = markOfLog(this.#file).frames
  }

  /** The least and the most frames that a power cut now can leave. */
  range(): LogRange {
    const { frames, copied } = markOfLog(this.#file)
    // A log that began anew holds less than was synced before: what it held is in the main file.
    const synced = this.#frames <= frames ? this.#frames : 0
    return { least: Math.max(copied, synced), most: frames }
  }
}

/**
 * Copies a database as a power cut leaves it: the main file, and the log with `frames` frames. Part of one frame more
 * may have reached the disk.
 */
export function copyAsCut(from: string, to: string, frames: number, chance: SeededRandom): void {
  copyFileSync(from, to)
  const log = `${from}-wal`
  if (!existsSync(log) || frames === 0) return
  copyFileSync(log, `${to}-wal`)
  const { pageBytes } = markOfLog(from)
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const bytes = WAL_HEADER_BYTES + frames * frameBytes + (chance.chance(0.5) ? chance.whole(1, frameBytes - 1) : 0)
  truncateSync(`${to}-wal`, Math.min(bytes, statSync(log).size))
}

/** Of a file that is synced with each write; nothing where there is none. */
export function textIn(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** A new folder for the next life of the home. */
export function nextFolder(root: string, life: number): string {
  const folder = join(root, String(life))
  mkdirSync(folder, { recursive: true })
  return folder
}
