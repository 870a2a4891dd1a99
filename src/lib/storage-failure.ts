/**
 * The codes of Node, SQLite and `StorageUnavailable`. SQLite reports an unreadable page as "corrupt". Node has no name
 * for the errors of XFS and ext4 about a damaged or shut down file system (`EUCLEAN`).
 */
const STORAGE_FAILURES = new RegExp(
  [
    '^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|PROTOCOL|CORRUPT|NOTADB|PERM)',
    '^(?:EIO|ENOSPC|EDQUOT|EROFS|EMFILE|ENFILE|ENODEV|ENXIO|ESTALE|ESHUTDOWN|ENOLCK|EUCLEAN)$',
    '^(?:STORAGE_UNAVAILABLE|UNKNOWN|Unknown system error)',
  ].join('|'),
)

/**
 * True if a file cannot be read or written now: a full, read-only or failing disk, too many open files, or another
 * process with the write lock. The affected request or start is refused; the process continues.
 */
export function isStorageFailure(error: unknown): boolean {
  if (error instanceof SuppressedError) return isStorageFailure(error.error) && isStorageFailure(error.suppressed)
  return STORAGE_FAILURES.test(codeOf(error)) || hasNoFolder(error)
}

/** Returns the result of `look`, or null if the disk fails. */
export function nullIfDiskFails<T>(look: () => T): T | null {
  try {
    return look()
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    return null
  }
}

/** better-sqlite3 reports an unreadable folder this way, without a code. */
function hasNoFolder(error: unknown): boolean {
  return error instanceof TypeError && error.message.startsWith('Cannot open database because the directory')
}

/** True if SQLite reports a database as damaged. A failed read looks the same (`db/sound-file.ts`). */
export function isDamaged(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(codeOf(error))
}

/** True if the disk is full. */
export function isFull(error: unknown): boolean {
  return /^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(codeOf(error))
}

/** True if a commit was written but could not be synced. */
export function isUnsynced(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_IOERR_FSYNC'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
