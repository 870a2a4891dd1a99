import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKUP_ENDING, kindOfFile, manifestOfFile } from '../format/backup-file.ts'
import { BACKUP_REASONS, type BackupReason } from '../format/manifest.ts'
import { type Retention, backupsToRemove } from './retention.ts'
import { BackupProblem } from '../format/problem.ts'
import type { BackupKey, KeyFinder } from '../format/phrase.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import { isDiskError, reasonOf } from '../../lib/file-reasons.ts'
import { errorCode, PRIVATE_FOLDER_MODE } from '../../lib/files.ts'
import { type BackupContents, contentsOf } from './parts.ts'
import type { BackupSettings } from './backup-settings.ts'

/** A backup in a backup folder, as its file name describes it. */
export interface StoredBackup {
  readonly name: string
  readonly file: string
  /** Epoch ms, to the second. */
  readonly at: number
  readonly why: BackupReason
  /** Number among the backups of the same second, from 1. */
  readonly turn: number
  readonly bytes: number
}

/** A stored backup with its contents, or a sentence why they cannot be read. */
export interface DescribedBackup extends Omit<StoredBackup, 'file' | 'turn'> {
  readonly encrypted: boolean
  readonly contents: BackupContents | null
  readonly unreadable: string | null
}

/** Destination of the next backup. */
export interface BackupTarget {
  readonly folder: string
  readonly key: BackupKey | null
  /** A sentence why the folder is not the chosen one; null if it is. */
  readonly lacks: string | null
}

/** A backup that cannot be made or found. The message is a sentence for people: why, and what to do. */
export class BackupRefused extends Error {
  readonly code: 'validation' | 'not_found' | 'overloaded' | 'storage_unavailable'

  constructor(message: string, { code = 'validation', cause }: { code?: BackupRefused['code']; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}

/** The code of a refusal with this cause: the disk, or the request itself. */
export const refusalCodeOf = (error: unknown): BackupRefused['code'] =>
  isDiskError(error) || isStorageFailure(error) ? 'storage_unavailable' : 'validation'

const NAME =
  /^home-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z-([0-9a-z]{1,40})(?:-(asked|operator|before-update))?(?:-(\d{1,4}))?\.hmb$/

/**
 * File name of a backup: `home-2026-11-23T03-10-07Z-SERIAL.hmb`. The reason follows unless it is `nightly`, then a
 * number if another backup has the same second.
 *
 * @param taken names that exist
 */
export function backupName(
  at: number,
  { serial, why, taken }: { readonly serial: string; readonly why: BackupReason; readonly taken: readonly string[] },
): string {
  const time = new Date(at).toISOString().slice(0, '2026-11-23T03:10:07'.length).replaceAll(':', '-')
  const name = `home-${time}Z-${serial}${why === 'nightly' ? '' : `-${why}`}`
  // A removed backup does not free its number: the newest backup has the highest.
  const turns = taken.flatMap((other) => (other.startsWith(name) ? [Number(NAME.exec(other)?.[5] ?? 1)] : []))
  const turn = Math.max(0, ...turns) + 1
  return `${name}${turn === 1 ? '' : `-${turn}`}${BACKUP_ENDING}`
}

/**
 * All backups in a folder, newest first. If `serial` is not null, other homes are left out. A missing folder has none. The
 * folder may be a share that does not answer: then only the caller waits.
 * @throws BackupRefused if the folder cannot be read.
 */
export async function backupsIn(folder: string, serial: string | null): Promise<readonly StoredBackup[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    const message = `The backup folder ${folder} cannot be read: ${reasonOf(error)}.`
    throw new BackupRefused(message, { code: 'storage_unavailable', cause: error })
  })
  const found = await Promise.all(names.map((name) => storedBackup(folder, name, serial)))
  return found.filter((backup) => backup !== null).toSorted(newestFirst)
}

const newestFirst = (one: StoredBackup, other: StoredBackup): number => other.at - one.at || other.turn - one.turn

async function storedBackup(folder: string, name: string, serial: string | null): Promise<StoredBackup | null> {
  const [, day, time = '', owner, reason, turn] = NAME.exec(name) ?? []
  if (day === undefined || (serial !== null && owner !== serial)) return null
  const file = join(folder, name)
  // Another process may have removed the file meanwhile.
  const found = await stat(file).catch(() => null)
  if (found?.isFile() !== true) return null
  const at = Date.parse(`${day}T${time.replaceAll('-', ':')}Z`)
  const why = BACKUP_REASONS.find((known) => known === reason) ?? 'nightly'
  return { name, file, at, why, turn: Number(turn ?? 1), bytes: found.size }
}

/** Reads the contents of a backup, if this key opens it. */
export async function describeBackup(backup: StoredBackup, findKey: KeyFinder): Promise<DescribedBackup> {
  const { name, file, at, why, bytes } = backup
  let encrypted = false
  try {
    encrypted = (await kindOfFile(file)) === 'encrypted'
    const contents = contentsOf(await manifestOfFile(file, findKey))
    return { name, at, why, bytes, encrypted, contents, unreadable: null }
  } catch (error) {
    return { name, at, why, bytes, encrypted, contents: null, unreadable: unreadableWords(error) }
  }
}

function unreadableWords(error: unknown): string {
  if (!(error instanceof BackupProblem)) return `It cannot be read: ${reasonOf(error)}.`
  return error.fault === 'phrase_needed' ? 'It needs another recovery phrase than the current one.' : error.message
}

/** Removes the superfluous backups of a home. `only` limits this to backups with one reason. */
export async function pruneBackups(
  folder: string,
  serial: string,
  { only, ...retention }: Retention & { readonly only?: BackupReason },
): Promise<void> {
  const stored = (await backupsIn(folder, serial)).filter(({ why }) => only === undefined || why === only)
  const dated = await Promise.all(stored.map(async (backup) => ({ ...backup, version: await versionOf(backup) })))
  for (const { file } of backupsToRemove(dated, retention)) await rm(file, { force: true })
}

/** Backups before updates are never encrypted. All unreadable ones count as one version. */
async function versionOf(backup: StoredBackup): Promise<string> {
  if (backup.why !== 'before-update') return ''
  const manifest = await manifestOfFile(backup.file, () => Promise.resolve(null)).catch(() => null)
  return manifest === null ? '' : `${manifest.schemas.core}/${manifest.schemas.history}`
}

interface BackupFoldersParts {
  readonly serial: string
  /** The folder that the settings name; null if they name none. */
  readonly external: string | null
  /** The backup folder in the data folder. */
  readonly internal: string
  readonly settings: BackupSettings
}

/** The backup folders of a home: the internal one, and an external one if the settings name it. */
export class BackupFolders {
  readonly #parts: BackupFoldersParts

  constructor(parts: BackupFoldersParts) {
    this.#parts = parts
  }

  /** The folder that backups should go to. */
  get chosen(): string {
    return this.#parts.external ?? this.#parts.internal
  }

  /** Backups of this home in both folders: until there is a phrase, they may lie in the internal one. */
  async list(): Promise<readonly StoredBackup[]> {
    const { serial, external, internal } = this.#parts
    const folders = external === null ? [internal] : [external, internal]
    const found = await Promise.all(folders.map((folder) => backupsIn(folder, serial)))
    return found.flat().toSorted(newestFirst)
  }

  /**
   * Destination of a backup with this reason.
   * @throws BackupRefused if the external folder is missing, or seems to be another one.
   */
  async targetFor(why: BackupReason): Promise<BackupTarget> {
    const { external, internal, settings } = this.#parts
    if (external === null || why === 'before-update') return this.#internalTarget(null)
    const { key } = settings
    if (settings.choice.encrypted && key === null)
      return this.#internalTarget(
        `Backups stay in ${internal}. To keep them in ${external}, create a recovery phrase with \`bin/hm backup phrase\`, or leave them unencrypted with \`bin/hm backup settings --encrypt off\`: then everybody who has the folder can read them.`,
      )
    await this.#refuseUnmounted(external, why)
    return { folder: external, key: settings.choice.encrypted ? key : null, lacks: null }
  }

  async #internalTarget(lacks: string | null): Promise<BackupTarget> {
    const { internal } = this.#parts
    await mkdir(internal, { recursive: true, mode: PRIVATE_FOLDER_MODE })
    return { folder: internal, key: null, lacks }
  }

  /** Refuses a folder whose disk seems not to be mounted: backups in it would fill the disk of the home. */
  async #refuseUnmounted(folder: string, why: BackupReason): Promise<void> {
    const found = await stat(folder).catch(() => null)
    if (found?.isDirectory() !== true)
      throw new BackupRefused(`The backup folder ${folder} is missing: mount its disk, or change HM_BACKUP_DIR.`)
    const { serial, settings } = this.#parts
    if (why === 'nightly' && settings.usedFolder === folder && (await backupsIn(folder, serial)).length === 0)
      throw new BackupRefused(
        `The backup folder ${folder} no longer has a backup of this home. Is its disk mounted? \`bin/hm backup\` makes one there anyway.`,
      )
  }
}
