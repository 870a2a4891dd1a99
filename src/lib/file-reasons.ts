import { errorCode } from './files.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EEXIST: 'it exists already',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the disk is read-only',
  EIO: 'the disk fails',
  EBUSY: 'something else uses it',
  SQLITE_FULL: 'the disk is full',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
}

/** Error codes of a failing disk, for any operation. */
const OF_THE_DISK: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'SQLITE_FULL']

/** True if the disk is the reason for the error, and not the request. */
export const isDiskError = (error: unknown): boolean => OF_THE_DISK.includes(errorCode(error) ?? '')

/** The reason why a file could not be read or written, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return REASONS[errorCode(error) ?? ''] ?? message.replace(/\.$/, '')
}
