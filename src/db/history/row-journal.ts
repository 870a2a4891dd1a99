import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { PRIVATE_FILE_MODE, pathExists, removeLeftover } from '../../lib/files.ts'

/**
 * Acknowledged rows that are not yet in history.db. One system call appends the rows of an event loop turn, so they
 * survive the end of the process as SQLite's commits without a sync do. A line is a checksum and a JSON text.
 */
export class RowJournal {
  readonly #file: string
  /** Null before the first row and after a failure: the next row creates the file anew. */
  #handle: number | null = null
  #bytes = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Rows that an ended process left, up to the first torn line. @throws the file system's own error */
  left(): readonly unknown[] {
    const rows: unknown[] = []
    if (!pathExists(this.#file)) return rows
    for (const line of readFileSync(this.#file, 'utf8').split('\n')) {
      const text = line.slice(CHECKSUM_LENGTH)
      if (line !== lineOf(text)) break
      rows.push(JSON.parse(text))
    }
    return rows
  }

  /** False if the disk did not take all rows; rows that it took may come back from `left`. */
  append(rows: readonly object[]): boolean {
    const lines = Buffer.from(rows.map((row) => `${lineOf(JSON.stringify(row))}\n`).join(''))
    try {
      this.#handle ??= openSync(this.#file, 'w', PRIVATE_FILE_MODE)
      if (writeSync(this.#handle, lines, 0, lines.length, this.#bytes) < lines.length) return false
    } catch {
      return false
    }
    this.#bytes += lines.length
    return true
  }

  /** Call when history.db has all rows. */
  clear(): void {
    this.#bytes = 0
    if (this.#handle === null) return
    try {
      ftruncateSync(this.#handle, 0)
    } catch {
      this.#close()
    }
  }

  /** Removes the file: an ended process leaves one only if it was killed. */
  remove(): void {
    this.#close()
    removeLeftover(this.#file)
  }

  #close(): void {
    this.#bytes = 0
    if (this.#handle === null) return
    const handle = this.#handle
    this.#handle = null
    try {
      closeSync(handle)
    } catch {
      // The disk failed, and the handle is closed all the same.
    }
  }
}

const CHECKSUM_LENGTH = 8
const lineOf = (text: string): string => crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0') + text
