import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** The first header of a WAL index, in words of 32 bits of native order (sqlite.org/walformat.html, section 2.1). */
const HEADER_WORDS = 12
/** Its first word; an index that was not begun yet has 0 there. */
const VERSION = 3_007_000
/**
 * Handles whose index another connection of this process may still have open (a checkpoint or a copy in its thread): to
 * close any handle of a file takes all locks on it from the process, those of SQLite too. One for each such index.
 */
const kept = new Set<number>()

/**
 * The header of SQLite's index of a write-ahead log. It counts commits and has the checksum of the last one: as long as
 * it is the same, no connection of any process has committed anything. That is one read of a file in memory, where a
 * question to SQLite takes and gives back locks.
 */
export class WalIndex {
  readonly #file: string
  readonly #header = new Uint32Array(HEADER_WORDS)
  readonly #seen = new Uint32Array(HEADER_WORDS)
  /** Null until it is looked for, `none` where the database has no such index. */
  #handle: number | 'none' | null = null

  /** @param database its file, of which a connection is open and has read something. */
  constructor(database: string) {
    this.#file = `${database}-shm`
  }

  /**
   * Whether it is as it was when it was last `seen`. False where that is not known, and where the file is none that this
   * program understands: then SQLite has to be asked. A header that is just being written is another than before.
   */
  isUnchanged(): boolean {
    return this.#isRead() && this.#header[0] === VERSION && this.#header.every((word, at) => word === this.#seen[at])
  }

  /** What was committed until the last look is known now. */
  seen(): void {
    this.#seen.set(this.#header)
  }

  /** Only after the connection was closed: SQLite removes the index with the last one. */
  close(): void {
    if (typeof this.#handle === 'number') kept.add(this.#handle)
    closeRemoved()
    this.#handle = 'none'
  }

  #isRead(): boolean {
    this.#handle ??= opened(this.#file)
    if (this.#handle === 'none') return false
    try {
      return readSync(this.#handle, this.#header, 0, this.#header.byteLength, 0) === this.#header.byteLength
    } catch {
      return false
    }
  }
}

function opened(file: string): number | 'none' {
  try {
    const { dev, ino } = statSync(file)
    const again = [...kept].find((handle) => {
      const its = fstatSync(handle)
      return its.dev === dev && its.ino === ino
    })
    if (again === undefined) return openSync(file, 'r')
    kept.delete(again)
    return again
  } catch {
    return 'none'
  }
}

/** What has no name any more nobody else can open, and no connection of this process has it open. */
function closeRemoved(): void {
  for (const handle of kept)
    if (isRemoved(handle)) {
      kept.delete(handle)
      closeSync(handle)
    }
}

/** False if the disk fails. */
function isRemoved(handle: number): boolean {
  try {
    return fstatSync(handle).nlink === 0
  } catch {
    return false
  }
}
