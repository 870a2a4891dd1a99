const STORAGE_FAILURES = /^(?:SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM)|ENOSPC|EROFS|EDQUOT|EIO)/

/** Whether an error says that a database is not whole. */
export function isDamaged(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(codeOf(error))
}

/**
 * Whether an error says that a file or its disk takes no writes now: a full disk or budget, one gone read-only, an
 * input or output error, another process that holds the write lock. A file that is cut off is damaged, which is another
 * thing.
 */
export function isStorageFailure(error: unknown): boolean {
  return !isDamaged(error) && STORAGE_FAILURES.test(codeOf(error))
}

/** Whether it is that there is no room. */
export function isFull(error: unknown): boolean {
  return /^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(codeOf(error))
}

/** Whether what was written could not be put on the disk. */
export function isUnsynced(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_IOERR_FSYNC'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
