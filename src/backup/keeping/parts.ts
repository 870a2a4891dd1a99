import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, readFile, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKUP_FORMAT, type BackupPart, type BackupReason, type Manifest } from '../format/manifest.ts'
import { unpackFile } from '../format/backup-file.ts'
import { BackupProblem } from '../format/problem.ts'
import type { KeyFinder } from '../format/phrase.ts'
import { checkDatabase, copyDatabase } from '../../db/copy-thread.ts'
import { type CoreFacts, coreFacts, schemaVersionOf } from '../../db/core/at-rest.ts'
import { readThrough } from '../../db/sound-file.ts'
import { NEWEST_SCHEMAS } from '../../db/database.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import { pathExists, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import { parseAuthority } from '../../tls/authority.ts'
import { tlsFiles } from '../../tls/tls-folder.ts'
import type { DataFolder } from '../../settings/data-folder.ts'

/** Names of the parts of a backup. */
export const CORE = 'core.db'
export const HISTORY = 'history.db'
export const AUTHORITY = 'ca-private.pem'
export const HOUSE = 'house.yaml'
export const SETTINGS = 'backup.json'

/** Room that stays free on the disk besides a backup. */
const ROOM_BYTES = 8 * 1024 * 1024

/** Paths of the parts in the data folder. The house file is only for readers and has none. */
export function partPaths(folder: DataFolder): Readonly<Record<string, string>> {
  const { authority, leaf, clock } = tlsFiles(folder.tls)
  return {
    [CORE]: folder.coreDb,
    [HISTORY]: folder.historyDb,
    [AUTHORITY]: authority,
    'leaf.pem': leaf,
    'clock.json': clock,
    'home-id': folder.homeId,
    revoked: folder.revoked,
    [SETTINGS]: folder.backupSettings,
  }
}

/** Parts that are copied as files, if they exist. */
const PLAIN_FILES: readonly string[] = [AUTHORITY, 'leaf.pem', 'clock.json', 'home-id', 'revoked', SETTINGS]

/** Everything that a new backup is made from. */
export interface BackupSource {
  readonly folder: DataFolder
  /** Epoch ms. */
  readonly at: number
  readonly why: BackupReason
  /** Version of the running program. */
  readonly program: string
  /** Files of the databases; a null history is left out. */
  readonly core: string
  readonly history: string | null
  /** A sentence about content that is left out. */
  readonly lacks: string | null
  /** Text of the house file; null before the house is loaded. */
  readonly house: string | null
}

/** Copies all parts into a folder, each in a consistent state, and describes them in a manifest. */
export async function stageParts(source: BackupSource, into: string): Promise<Manifest> {
  const { folder, at, why, program, core, history, house, lacks } = source
  await requireRoomForCopies([core, ...(history === null ? [] : [history])], into)
  await copyDatabase(core, join(into, CORE))
  if (history !== null) await copyHistory(history, join(into, HISTORY))
  const paths = partPaths(folder)
  for (const name of PLAIN_FILES) {
    const path = paths[name]
    if (path !== undefined && pathExists(path)) await copyFile(path, join(into, name))
  }
  if (house !== null) await writeFile(join(into, HOUSE), house, { mode: PRIVATE_FILE_MODE })
  const { serial, home, ...counts } = factsOf(join(into, CORE))
  const schemas = {
    core: schemaVersionOf(join(into, CORE)) ?? 0,
    history: history === null ? null : schemaVersionOf(join(into, HISTORY)),
  }
  const names = [CORE, AUTHORITY, ...PLAIN_FILES, HOUSE, HISTORY].filter((name) => pathExists(join(into, name)))
  const described = await Promise.all([...new Set(names)].map((name) => describePart(into, name)))
  return {
    format: BACKUP_FORMAT,
    program,
    schemas,
    gateway: serial,
    home,
    at,
    why,
    counts,
    lacks,
    parts: described,
  }
}

/** A part that is damaged in the home itself. */
export class DamagedPart extends BackupProblem {
  readonly part: string

  constructor(part: string, why: string) {
    super('damaged', `This backup cannot be used: its ${part} is damaged (${why}).`)
    this.part = part
  }
}

async function copyHistory(file: string, to: string): Promise<void> {
  try {
    await copyDatabase(file, to)
  } catch (error) {
    if (!isDamaged(error)) throw error
    readThrough(file)
    throw new DamagedPart(HISTORY, reasonOf(error))
  }
}

/**
 * Opens a backup as a restore would. All parts must match the manifest, the databases must be sound and of a known
 * version, and the CA must have its key.
 * @throws BackupProblem, or the file system's own error.
 */
export async function checkBackup(file: string, findKey: KeyFinder, into: string): Promise<Manifest> {
  const manifest = await unpackFile(file, findKey, into, async (unchecked) => {
    refuseNewer(unchecked, unchecked.schemas)
    await requireRoom(sizeOf(unchecked), into)
  })
  const has = (name: string): boolean => manifest.parts.some((part) => part.name === name)
  for (const name of [CORE, HISTORY].filter(has)) await checkSound(join(into, name), name)
  const versionOf = (name: string): number | null => (has(name) ? schemaVersionOf(join(into, name)) : null)
  refuseNewer(manifest, { core: versionOf(CORE) ?? 0, history: versionOf(HISTORY) })
  if (!has(CORE) || factsOf(join(into, CORE)).serial !== manifest.gateway) throw new BackupProblem('damaged')
  if (!has(AUTHORITY) || !(await holdsAuthority(join(into, AUTHORITY))))
    throw new BackupProblem('damaged', NO_AUTHORITY)
  return manifest
}

/** Refuses a backup with databases of a later version. @throws BackupProblem */
export function refuseNewer({ program }: Manifest, { core, history }: Manifest['schemas']): void {
  if (core <= NEWEST_SCHEMAS.core && (history ?? 0) <= NEWEST_SCHEMAS.history) return
  throw new BackupProblem('newer', `This backup was made by a newer hm-gateway (${program}): update this one first.`)
}

/** True if the database in a file has tables of a later version than `newest`, the newest that this program knows. */
export const isNewer = (file: string, newest: number): boolean =>
  pathExists(file) && (schemaVersionOf(file) ?? 0) > newest

const NO_AUTHORITY = 'CA and key of this backup do not match: clients would have to trust the gateway again.'

async function checkSound(file: string, name: string): Promise<void> {
  try {
    await checkDatabase(file)
  } catch (error) {
    if (isStorageFailure(error) && !isDamaged(error)) throw error
    // A failed read of the disk also looks like damage.
    readThrough(file)
    throw new DamagedPart(name, reasonOf(error))
  }
}

async function holdsAuthority(file: string): Promise<boolean> {
  return parseAuthority(await readFile(file, 'utf8')) !== null
}

function factsOf(core: string): CoreFacts {
  const facts = coreFacts(core)
  if (facts === null) throw new BackupProblem('damaged', 'Its configuration contains no home.')
  return facts
}

async function describePart(folder: string, name: string): Promise<BackupPart> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { name, bytes, sha256: hash.digest('hex') }
}

async function requireRoomForCopies(files: readonly string[], folder: string): Promise<void> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  await requireRoom(
    sizes.reduce((sum, size) => sum + size, 0),
    folder,
  )
}

/** Contents of a backup, for administrators. */
export interface BackupContents extends Pick<Manifest, 'gateway' | 'home' | 'program' | 'counts' | 'lacks'> {
  readonly history: boolean
}

export function contentsOf({ gateway, home, program, parts, counts, lacks }: Manifest): BackupContents {
  return { gateway, home, program, counts, history: parts.some(({ name }) => name === HISTORY), lacks }
}

export const sizeOf = ({ parts }: Manifest): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

/** Requires room for so many bytes on the disk of `folder`. @throws an error with code ENOSPC */
export async function requireRoom(bytes: number, folder: string): Promise<void> {
  const { bsize, bavail } = await statfs(folder)
  if (bsize * bavail >= bytes + ROOM_BYTES) return
  throw Object.assign(new Error(`${folder} has no room for ${bytes} bytes`), { code: 'ENOSPC' })
}
