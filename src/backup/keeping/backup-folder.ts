import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKUP_ENDING, kindOfFile, manifestOfFile } from '../format/backup-file.ts'
import { BACKUP_REASONS, type BackupReason } from '../format/manifest.ts'
import { type Retention, superfluous } from './retention.ts'
import { BackupProblem } from '../format/problem.ts'
import type { BackupKey, KeyFinder } from '../format/phrase.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import { isDiskError, reasonOf } from '../../lib/file-reasons.ts'
import { errorCode, PRIVATE_FOLDER_MODE } from '../../lib/files.ts'
import { type BackupContents, contentsOf } from './parts.ts'
import type { BackupSettings } from './settings.ts'

/** A backup in the folder, by its name. */
export interface ShelvedBackup {
  readonly name: string
  readonly file: string
  /** Epoch ms, to the second. */
  readonly at: number
  readonly why: BackupReason
  /** Which of those of this second it is, from 1. */
  readonly turn: number
  readonly bytes: number
}

/** The same with what it says of itself, or why that cannot be read, in one sentence. */
export interface DescribedBackup extends Omit<ShelvedBackup, 'file' | 'turn'> {
  readonly encrypted: boolean
  readonly contents: BackupContents | null
  readonly unreadable: string | null
}

/** Where the next one goes. */
export interface BackupTarget {
  readonly folder: string
  readonly key: BackupKey | null
  /** Why it is not the folder that was chosen, in a sentence; null where it is. */
  readonly lacks: string | null
}

/** A backup that cannot be made, or is not there: one sentence that says why and what to do. */
export class BackupRefused extends Error {
  readonly code: 'validation' | 'not_found' | 'overloaded' | 'storage_unavailable'

  constructor(message: string, { code = 'validation', cause }: { code?: BackupRefused['code']; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}

/** What a refusal for this reason is: the disk, or what was asked of it. */
export const refusalCodeOf = (error: unknown): BackupRefused['code'] =>
  isDiskError(error) || isStorageFailure(error) ? 'storage_unavailable' : 'validation'

const NAME =
  /^home-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z-([0-9a-z]{1,40})(?:-(asked|operator|before-update))?(?:-(\d{1,4}))?\.hmb$/

/**
 * `home-2026-11-23T03-10-07Z-SERIAL.hmb`; those not made by night say why they were, and a second one of the
 * same second has a number behind it.
 */
export function backupName(
  at: number,
  { serial, why, taken }: { readonly serial: string; readonly why: BackupReason; readonly taken: readonly string[] },
): string {
  const time = new Date(at).toISOString().slice(0, '2026-11-23T03:10:07'.length).replaceAll(':', '-')
  const name = `home-${time}Z-${serial}${why === 'nightly' ? '' : `-${why}`}`
  // Behind the last one, not in the place of one that has gone: the newest has the highest number.
  const turns = taken.flatMap((each) => (each.startsWith(name) ? [Number(NAME.exec(each)?.[5] ?? 1)] : []))
  const turn = Math.max(0, ...turns) + 1
  return `${name}${turn === 1 ? '' : `-${turn}`}${BACKUP_ENDING}`
}

/**
 * All backups of a folder, the newest first; of one home where `serial` is given. A folder that is not there has none.
 * Whoever waits for a share that does not answer keeps nobody else waiting.
 * @throws BackupRefused where the folder cannot be read.
 */
export async function backupsIn(folder: string, serial: string | null): Promise<readonly ShelvedBackup[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    const message = `The backup folder ${folder} cannot be read: ${reasonOf(error)}.`
    throw new BackupRefused(message, { code: 'storage_unavailable', cause: error })
  })
  const found = await Promise.all(names.map((name) => shelved(folder, name, serial)))
  return found.filter((each) => each !== null).toSorted(newestFirst)
}

const newestFirst = (one: ShelvedBackup, other: ShelvedBackup): number => other.at - one.at || other.turn - one.turn

async function shelved(folder: string, name: string, serial: string | null): Promise<ShelvedBackup | null> {
  const [, day, time = '', owner, kind, turn] = NAME.exec(name) ?? []
  if (day === undefined || (serial !== null && owner !== serial)) return null
  const file = join(folder, name)
  // It may have gone meanwhile.
  const found = await stat(file).catch(() => null)
  if (found?.isFile() !== true) return null
  const at = Date.parse(`${day}T${time.replaceAll('-', ':')}Z`)
  const why = BACKUP_REASONS.find((each) => each === kind) ?? 'nightly'
  return { name, file, at, why, turn: Number(turn ?? 1), bytes: found.size }
}

/** What a backup says of itself, as far as this key opens it; where it cannot be read, why. */
export async function describedBackup(backup: ShelvedBackup, find: KeyFinder): Promise<DescribedBackup> {
  const { name, file, at, why, bytes } = backup
  let encrypted = false
  try {
    encrypted = (await kindOfFile(file)) === 'encrypted'
    const contents = contentsOf(await manifestOfFile(file, find))
    return { name, at, why, bytes, encrypted, contents, unreadable: null }
  } catch (error) {
    return { name, at, why, bytes, encrypted, contents: null, unreadable: unreadableWords(error) }
  }
}

function unreadableWords(error: unknown): string {
  if (!(error instanceof BackupProblem)) return `It cannot be read: ${reasonOf(error)}.`
  return error.fault === 'phrase_needed' ? 'Another recovery phrase than that of now opens it.' : error.message
}

/** Removes the backups of a home from a folder that need not be kept any more; of `only` these where it is given. */
export async function pruned(
  folder: string,
  serial: string,
  { only, ...retention }: Retention & { readonly only?: BackupReason },
): Promise<void> {
  const all = (await backupsIn(folder, serial)).filter(({ why }) => only === undefined || why === only)
  const known = await Promise.all(all.map(async (each) => ({ ...each, version: await versionOf(each) })))
  for (const { file } of superfluous(known, retention)) await rm(file, { force: true })
}

/** One made before an update is never encrypted; all that cannot be read count as one version. */
async function versionOf(backup: ShelvedBackup): Promise<string> {
  if (backup.why !== 'before-update') return ''
  const manifest = await manifestOfFile(backup.file, () => Promise.resolve(null)).catch(() => null)
  return manifest === null ? '' : `${manifest.schemas.core}/${manifest.schemas.history}`
}

interface ShelfParts {
  readonly serial: string
  /** The folder that was chosen, or null; and the one in the data folder. */
  readonly elsewhere: string | null
  readonly inside: string
  readonly settings: BackupSettings
}

/** The folder of backups: where the next one goes, which there are, and which go. */
export class BackupShelf {
  readonly #parts: ShelfParts

  constructor(parts: ShelfParts) {
    this.#parts = parts
  }

  /** The folder that was chosen. */
  get folder(): string {
    return this.#parts.elsewhere ?? this.#parts.inside
  }

  /** Those of this home, also where they lie in the data folder until there is a phrase. */
  async list(): Promise<readonly ShelvedBackup[]> {
    const { serial, elsewhere, inside } = this.#parts
    const folders = elsewhere === null ? [inside] : [elsewhere, inside]
    const found = await Promise.all(folders.map((folder) => backupsIn(folder, serial)))
    return found.flat().toSorted(newestFirst)
  }

  /** @throws BackupRefused where the folder is not there, or is not the one that was. */
  async target(why: BackupReason): Promise<BackupTarget> {
    const { elsewhere, inside, settings } = this.#parts
    if (elsewhere === null || why === 'before-update') return this.#inside(null)
    const { key } = settings
    if (settings.choice.encrypted && key === null)
      return this.#inside(
        `Backups stay in ${inside}: before they are kept in ${elsewhere}, make a recovery phrase by \`bin/hm backup phrase\`, or let them be readable by everybody who has the folder: \`bin/hm backup settings --encrypt off\`.`,
      )
    await this.#refuseMissing(elsewhere, why)
    return { folder: elsewhere, key: settings.choice.encrypted ? key : null, lacks: null }
  }

  async #inside(lacks: string | null): Promise<BackupTarget> {
    const { inside } = this.#parts
    await mkdir(inside, { recursive: true, mode: PRIVATE_FOLDER_MODE })
    return { folder: inside, key: null, lacks }
  }

  /** A folder of its own is never made: where its disk is not mounted, that would fill the disk of the home. */
  async #refuseMissing(folder: string, why: BackupReason): Promise<void> {
    const found = await stat(folder).catch(() => null)
    if (found?.isDirectory() !== true)
      throw new BackupRefused(`The backup folder ${folder} is not there: mount its disk, or change HM_BACKUP_DIR.`)
    const { serial, settings } = this.#parts
    if (why === 'nightly' && settings.filled === folder && (await backupsIn(folder, serial)).length === 0)
      throw new BackupRefused(
        `The backup folder ${folder} has no backup of this home any more: is its disk mounted? \`bin/hm backup\` makes one there all the same.`,
      )
  }
}
