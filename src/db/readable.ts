import { closeSync, openSync, readSync } from 'node:fs'
import { isThere } from '../lib/files.ts'

const CHUNK_BYTES = 1024 * 1024
/** Reading blocks the event loop, so only this much of a long file is read. */
const READ_BYTES_MAX = 256 * CHUNK_BYTES

/**
 * Judges a database again before it counts as damaged, because SQLite reports a read that the disk refused as damage.
 *
 * @throws the file system's own error if the file or its log cannot be read: then the disk fails, and the file may be
 *   sound.
 */
export function confirmed<T>(file: string, judge: () => T, isBad: (verdict: T) => boolean): T {
  const verdict = judge()
  if (!isBad(verdict)) return verdict
  readThrough(file)
  return judge()
}

/** Reads a database and its log. @throws the file system's own error. */
export function readThrough(file: string): void {
  for (const part of [file, `${file}-wal`]) if (isThere(part)) readAll(part)
}

function readAll(file: string): void {
  const handle = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let read = 0
    for (let got = 1; got > 0 && read < READ_BYTES_MAX; read += got) got = readSync(handle, chunk, 0, CHUNK_BYTES, null)
  } finally {
    closeSync(handle)
  }
}
