import Database from 'better-sqlite3'

/**
 * Takes a lock that the system gives to one process at a time, and gives back when it ends in whatever way: the lock of
 * an empty SQLite file. Null while another process holds it. Throws when the file cannot be opened.
 */
export function takeLock(file: string): Disposable | null {
  const db = new Database(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return null
    throw error
  }
  return { [Symbol.dispose]: () => void db.close() }
}
