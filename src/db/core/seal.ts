import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode, pathExists, removeLeftover, replaceFileNow, syncFolderNow } from '../../lib/files.ts'
import { confirmVerdict } from '../sound-file.ts'

/**
 * The seal of a database is a file next to it with the time of its last write and its SHA-256. SQLite has no page
 * checksums, so only the seal finds damage that leaves valid values, such as a switch that turned on. Editing or
 * replacing the database changes its time too, which invalidates the seal.
 */
const sealOf = (file: string): string => `${file}.seal`

/** Seals a database with an empty log. A disk that refuses the seal fails neither start nor stop. */
export function seal(file: string): void {
  quietly(() => {
    if (hasLog(file) || !pathExists(file) || digestIn(file) !== null) return
    const digest = digestOf(file)
    replaceFileNow(sealOf(file), `${writtenAt(file)} ${digest} ${digest}\n`)
  })
}

/** Call before any change of the file: after a power cut its content may be new and its time old. */
export function unseal(file: string): void {
  if (!pathExists(sealOf(file))) return
  removeLeftover(sealOf(file))
  syncFolderNow(dirname(file))
}

/** State of a database before a start. */
export interface StateAtStart {
  /** Its log contains changes. */
  readonly hasLog: boolean
  /** Its bytes changed without a write. */
  readonly isSealBroken: boolean
}

/** Call before opening the database, because opening moves its log into it. */
export function stateAtStart(file: string): StateAtStart {
  const found = {
    hasLog: hasLog(file),
    isSealBroken: quietly(() => pathExists(file) && confirmVerdict(file, () => isBroken(file), Boolean)) ?? false,
  }
  if (found.hasLog) quietly(() => unseal(file))
  return found
}

function isBroken(file: string): boolean {
  const digest = digestIn(file)
  return digest !== null && digest !== digestOf(file)
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Digest of a valid seal. It is written twice, because a damaged seal must not condemn its database. */
function digestIn(file: string): string | null {
  if (!pathExists(sealOf(file))) return null
  const [time, digest = null, again] = readFileSync(sealOf(file), 'utf8').trim().split(' ')
  return time === writtenAt(file) && digest === again ? digest : null
}

const digestOf = (file: string): string => hash('sha256', readFileSync(file))
/** Whole milliseconds, which every file system and copy preserves. */
const writtenAt = (file: string): string => String(Math.floor(statSync(file).mtimeMs))

function quietly<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    if (errorCode(error) === null) throw error
    return null
  }
}
