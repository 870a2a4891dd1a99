import { readFileSync } from 'node:fs'
import type * as z from 'zod'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { replaceFileIf, replaceFileNow } from '../../lib/files.ts'
import { parsedAs } from '../../lib/json.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/** Content of a small file next to core.db; null if it is missing or damaged. @throws if the disk fails */
export function readCompanion<S extends z.ZodType>(file: string, shape: S): z.output<S> | null {
  try {
    return parsedAs(shape, readFileSync(file, 'utf8'))
  } catch (error) {
    // The file may be sound on a failing disk.
    if (isStorageFailure(error)) throw error
    return null
  }
}

export function writeCompanion(file: string, content: object): void {
  try {
    replaceFileNow(file, textOf(content))
  } catch (error) {
    throw new StorageUnavailable(error)
  }
}

/** `writeCompanion` beside the event loop, as `replaceFileIf`. @throws the file system's own error */
export const writeCompanionIf = (file: string, content: object, isWanted: () => boolean): Promise<boolean> =>
  replaceFileIf(file, textOf(content), isWanted)

const textOf = (content: object): string => `${JSON.stringify(content)}\n`
