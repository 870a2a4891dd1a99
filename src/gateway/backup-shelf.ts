import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKUP_ENDING, isSealedFile, manifestOfFile } from '../backup/backup-file.ts'
import { BACKUP_REASONS, type BackupReason, type Manifest } from '../backup/manifest.ts'
import { superfluous } from '../backup/retention.ts'
import type { KeyFinder, SealKey } from '../backup/seal.ts'
import { errorCode, PRIVATE_FOLDER_MODE } from '../lib/files.ts'
import { ZoneTime } from '../lib/zone-time.ts'
import type { BackupSettings } from './backup-settings.ts'

/** A backup in the folder, by its name. */
export interface ShelvedBackup {
  readonly name: string
  readonly file: string
  /** Epoch ms, to the second. */
  readonly at: number
  readonly why: BackupReason
  readonly bytes: number
}

/** The same with what it says of itself; null where no key that is here opens it, or it is damaged. */
export interface DescribedBackup extends ShelvedBackup {
  readonly encrypted: boolean
  readonly manifest: Manifest | null
}

/** Where the next one goes. */
export interface BackupTarget {
  readonly folder: string
  readonly key: SealKey | null
  /** Why it is not the folder that was chosen, in a sentence; null where it is. */
  readonly lacks: string | null
}

/** A backup that cannot be made, or is not there: one sentence that says why and what to do. */
export class BackupRefused extends Error {}

const NAME = /^home-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-([0-9a-z]{1,40})(?:-(asked|before-update))?\.hmb$/

/** `home-2026-11-23T03-10-07Z-SERIAL.hmb`; those that were asked for or made before an update say so. */
export function backupName(at: number, serial: string, why: BackupReason): string {
  const time = new Date(at).toISOString().slice(0, '2026-11-23T03:10:07'.length).replaceAll(':', '-')
  return `home-${time}Z-${serial}${why === 'nightly' ? '' : `-${why}`}${BACKUP_ENDING}`
}

/**
 * All backups of a folder, the newest first; of one home where `serial` is given. A folder that is not there has none.
 * Whoever waits for a share that does not answer keeps nobody else waiting.
 */
export async function backupsIn(folder: string, serial: string | null): Promise<readonly ShelvedBackup[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    throw error
  })
  const found = await Promise.all(names.map((name) => shelved(folder, name, serial)))
  return found.filter((each) => each !== null).toSorted((one, other) => other.at - one.at)
}

async function shelved(folder: string, name: string, serial: string | null): Promise<ShelvedBackup | null> {
  const [, day, hour, minute, second, owner, kind] = NAME.exec(name) ?? []
  if (day === undefined || (serial !== null && owner !== serial)) return null
  const file = join(folder, name)
  // It may have gone meanwhile.
  const found = await stat(file).catch(() => null)
  if (found?.isFile() !== true) return null
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  const why = BACKUP_REASONS.find((each) => each === kind) ?? 'nightly'
  return { name, file, at, why, bytes: found.size }
}

/** What a backup says of itself, as far as this key opens it. */
export async function describedBackup(backup: ShelvedBackup, find: KeyFinder): Promise<DescribedBackup> {
  const encrypted = await isSealedFile(backup.file)
  const manifest = await manifestOfFile(backup.file, find).catch(() => null)
  return { ...backup, encrypted, manifest }
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
    return found.flat().toSorted((one, other) => other.at - one.at)
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

  /** Removes what need not be kept any more; answers how many. */
  async prune(folder: string, now: number, zone: string): Promise<number> {
    const old = superfluous(await backupsIn(folder, this.#parts.serial), now, new ZoneTime(zone))
    for (const { file } of old) await rm(file, { force: true })
    return old.length
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
