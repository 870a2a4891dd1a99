import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** The first header of a WAL index, in 32-bit words of native byte order (sqlite.org/walformat.html, section 2.1). */
const HEADER_WORDS = 12
/** The header's first word; 0 in an uninitialized index. */
const VERSION = 3_007_000
/**
 * Open handles of indexes that another connection of this process may still use, such as a checkpoint or copy thread.
 * Closing any handle of a file releases all locks of the process on it, SQLite's included. At most one handle per
 * index.
 */
const keptHandles = new Set<number>()

/**
 * The header of SQLite's index of a write-ahead log. It counts commits and contains the checksum of the last one. If it
 * is unchanged, no connection of any process has committed. Reading it is one read of a file in memory, while a query
 * to SQLite takes and releases locks.
 */
export class WalIndex {
  readonly #file: string
  readonly #header = new Uint32Array(HEADER_WORDS)
  readonly markSeen = new Uint32Array(HEADER_WORDS)
  /** Null until opened, `none` if the database has no such index. */
  #handle: number | 'none' | null = null

  /** @param database its file; a connection must have read from it */
  constructor(database: string) {
    this.#file = `${database}-shm`
  }

  /**
   * True if nothing was committed since `seen`. False if unknown, for example for an unknown index format: then SQLite
   * must be queried. A header during a write differs too.
   */
  isUnchanged(): boolean {
    return this.#isRead() && this.#header[0] === VERSION && this.#header.every((word, at) => word === this.markSeen[at])
  }

  /** Marks all commits up to the last check as known. */
  seen(): void {
    this.markSeen.set(this.#header)
  }

  /** Call after closing the connection: SQLite removes the index with its last connection. */
  close(): void {
    if (typeof this.#handle === 'number') keptHandles.add(this.#handle)
    closeRemoved()
    this.#handle = 'none'
  }

  #isRead(): boolean {
    this.#handle ??= openIndex(this.#file)
    if (this.#handle === 'none') return false
    try {
      return readSync(this.#handle, this.#header, 0, this.#header.byteLength, 0) === this.#header.byteLength
    } catch {
      return false
    }
  }
}

function openIndex(file: string): number | 'none' {
  try {
    const { dev, ino } = statSync(file)
    const again = [...keptHandles].find((handle) => {
      const its = fstatSync(handle)
      return its.dev === dev && its.ino === ino
    })
    if (again === undefined) return openSync(file, 'r')
    keptHandles.delete(again)
    return again
  } catch {
    return 'none'
  }
}

/** A removed file cannot be opened again, and no connection of this process has it open. */
function closeRemoved(): void {
  for (const handle of keptHandles)
    if (isRemoved(handle)) {
      keptHandles.delete(handle)
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
