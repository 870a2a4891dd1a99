import Database from 'better-sqlite3'
import { openSync, closeSync } from 'node:fs'
import { errorCode } from './files.ts'

/** Without it, two processes that ask at the same moment would refuse each other, and neither would get the lock. */
const PATIENCE_MS = 500

/**
 * Takes a lock that the system gives to one process at a time, and gives back when it ends in whatever way: the lock of
 * an empty SQLite file. Null while another process holds it. Throws when the file cannot be opened.
 *
 * @param patienceMs the thread waits this long for a lock that is held
 */
export function takeLock(file: string, patienceMs = PATIENCE_MS): Disposable | null {
  let db: Database.Database | undefined
  try {
    db = new Database(file, { timeout: patienceMs })
    // Without a journal file the lock takes no space on the disk.
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return null
    if (!takesNoFile(file)) throw error
    // Without writable files there is no other gateway to disturb.
    return { [Symbol.dispose]: () => {} }
  }
  const taken = db
  return { [Symbol.dispose]: () => void taken.close() }
}

/** True if the disk is read-only or full. A failing disk is different: a gateway may have the lock. */
function takesNoFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'a'))
    return false
  } catch (error) {
    return ['EROFS', 'ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')
  }
}
