import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { encryptFile, kindOfFile } from '../format/backup-file.ts'
import type { BackupReason, Manifest } from '../format/manifest.ts'
import { isAhead } from './retention.ts'
import { type BackupKey, keyFinder } from '../format/phrase.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import { ZoneTime } from '../../lib/zone-time.ts'
import { checkBackup, contentsOf } from './parts.ts'
import type { BackupSettings } from './backup-settings.ts'
import {
  type BackupFolders,
  backupName,
  BackupRefused,
  describeBackup,
  type DescribedBackup,
  pruneBackups,
  refusalCodeOf,
  type StoredBackup,
} from './backup-folder.ts'
import type { DataFolder } from '../../settings/data-folder.ts'
import { removeUnfinished, writeNewBackup, type WrittenBackup } from './new-backup.ts'
import { makeWorkFolder } from './work-folder.ts'
import { nightAfter, SPREAD_MS } from './nights.ts'

/** State of the backups, for the status and the metrics. */
export interface BackupState {
  /** The folder that backups should go to. */
  readonly folder: string
  /** The newest backup that is not dated in the future; null before the first. */
  readonly last: (Pick<StoredBackup, 'name' | 'at' | 'bytes'> & { readonly ageSeconds: number }) | null
  /** Epoch ms of the next nightly backup, or of the retry after a failure. */
  readonly nextAt: number
  /** Why the latest backup failed or lies elsewhere; null after a backup without trouble. */
  readonly error: { readonly at: number; readonly what: string } | null
  /** True while a backup is being made or checked. */
  readonly working: boolean
  /** Epoch ms; null if there is no recovery phrase. */
  readonly phraseSince: number | null
}

export interface BackupsParts {
  readonly folder: DataFolder
  readonly serial: string
  readonly folders: BackupFolders
  readonly settings: BackupSettings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Version of the running program. */
  readonly program: string
  /** IANA name of the home's time zone. */
  readonly zone: () => string
  /** Files of the databases in use; null for a history that is only in memory. */
  readonly databases: () => { readonly core: string; readonly history: string | null }
  /** Text of the current house file. */
  readonly house: () => Promise<string>
}

export interface MadeBackup {
  readonly backup: DescribedBackup
  readonly folder: string
  /** Sentences about a backup that lies elsewhere or lacks something, or about failed tidying; null if all is well. */
  readonly lacks: string | null
}

/** Interval of the check whether the next backup is due. The wall clock may be set at any time. */
const POLL_MS = 60_000
/** Delay of the first backup after the start of a home without backups. */
const FIRST_DELAY_MS = 60 * 60_000
/** Delay of the retry after a failed backup. */
const RETRY_AFTER_MS = 60 * 60_000
/** Requested backups, checks and restores that may run or wait at once. Further requests are refused. */
const REQUESTS_MAX = 4
/** A nightly backup that is due later than this was planned by a wrong clock. */
const NIGHT_AHEAD_MAX_MS = 50 * 60 * 60_000

/** Makes backups of a home, nightly and on request, one at a time. */
export class Backups {
  readonly #parts: BackupsParts
  #work: Promise<unknown> = Promise.resolve()
  #working = 0
  #nextAt: number
  #error: BackupState['error'] = null
  /** Backups at the latest reading of the folders: the state must not wait for a share that does not answer. */
  #stored: readonly StoredBackup[] = []
  #cancel: () => void

  constructor(parts: BackupsParts) {
    this.#parts = parts
    const { clock } = parts
    this.#nextAt = clock.now() + FIRST_DELAY_MS
    this.#runAlone(() => removeUnfinished(parts.folder, parts.folders.chosen)).catch((error: unknown) =>
      parts.log.warn({ err: error }, 'The rest of an unfinished backup could not be removed.'),
    )
    this.#planFirst().catch((error: unknown) =>
      parts.log.warn({ err: error }, 'The backup folder could not be read: the next backup is made in an hour.'),
    )
    this.#cancel = clock.after(POLL_MS, () => this.#poll())
  }

  state(): BackupState {
    const { folders, settings, clock } = this.#parts
    const now = clock.now()
    const last = this.#stored.find((backup) => !isAhead(backup, now))
    return {
      folder: folders.chosen,
      nextAt: this.#nextAt,
      error: this.#error,
      working: this.#working > 0,
      phraseSince: settings.phraseSince,
      last: last === undefined ? null : lastOf(last, now),
    }
  }

  get settings(): BackupSettings {
    return this.#parts.settings
  }

  /** All backups, newest first. */
  async list(): Promise<readonly DescribedBackup[]> {
    const findKey = keyFinder(this.settings.key, null)
    return Promise.all((await this.#readFolders()).map((backup) => describeBackup(backup, findKey)))
  }

  /** @throws BackupRefused if no backup has this name. */
  async find(name: string): Promise<StoredBackup> {
    const found = (await this.#readFolders()).find((backup) => backup.name === name)
    if (found === undefined) throw new BackupRefused(`There is no backup ${name}.`, { code: 'not_found' })
    return found
  }

  /** Makes a backup in the backup folder. @throws BackupRefused */
  make(why: BackupReason, history = this.settings.choice.history): Promise<MadeBackup> {
    return this.runRequest(() => this.#make(why, history))
  }

  /**
   * Writes a backup to a new file. It is encrypted if there is a recovery phrase, unless the caller chooses otherwise.
   * @throws BackupRefused
   */
  async write({
    file,
    history = this.settings.choice.history,
    encrypted = this.settings.key !== null,
  }: FileChoice): Promise<WrittenBackup & { readonly encrypted: boolean }> {
    const key = encrypted ? this.#ownKey() : null
    const at = this.#parts.clock.now()
    const written = await this.runRequest(() => this.#write({ at, why: 'asked', history, file, key }))
    return { bytes: written.bytes, encrypted, manifest: written.manifest }
  }

  /** Opens a backup as a restore would. @throws BackupRefused, BackupProblem */
  check(name: string): Promise<Manifest> {
    return this.runRequest(async () => {
      const { file } = await this.find(name)
      await using work = await makeWorkFolder(this.#parts.folder.path)
      return await checkBackup(file, keyFinder(this.settings.key, null), work.path)
    })
  }

  /**
   * Runs a requested task after the current one: backups, checks and restores never overlap.
   * @throws BackupRefused if too many requests wait already.
   */
  runRequest<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working >= REQUESTS_MAX) return Promise.reject(new BackupRefused(BUSY, { code: 'overloaded' }))
    return this.#runAlone(work)
  }

  /** The encrypted bytes of a backup. @throws BackupRefused if there is no such backup, or no recovery phrase. */
  async encryptedBytes(name: string): Promise<AsyncIterable<Uint8Array>> {
    const { file } = await this.find(name)
    if ((await kindOfFile(file)) === 'encrypted') return createReadStream(file) as AsyncIterable<Buffer>
    return encryptFile(file, this.#ownKey())
  }

  /** Resolves after the last task. */
  async stop(): Promise<void> {
    this.#cancel()
    await this.#work
  }

  #ownKey(): BackupKey {
    const { key } = this.settings
    if (key === null) throw new BackupRefused(NO_PHRASE)
    return key
  }

  async #make(why: BackupReason, history: boolean): Promise<MadeBackup> {
    const { clock, folders, serial, zone, folder: data } = this.#parts
    const { folder, key, lacks } = await folders.targetFor(why)
    const at = clock.now()
    const taken = (await this.#readFolders()).map((backup) => backup.name)
    const name = backupName(at, { serial, why, taken })
    const file = join(folder, name)
    const { manifest, bytes } = await this.#write({ at, why, history, file, key })
    const pruneFailure = await failureSentence(NOT_PRUNED, async () => {
      await pruneBackups(folder, serial, { now: at, zone: new ZoneTime(zone()), made: name })
      await this.#readFolders()
    })
    const noteFailure = await failureSentence(NOT_NOTED, async () => {
      if (folder !== data.backups) await this.settings.setUsedFolder(folder)
    })
    const sentences = [lacks, manifest.lacks, pruneFailure, noteFailure].filter((sentence) => sentence !== null)
    const trouble = sentences.join(' ') || null
    this.#error = trouble === null ? null : { at, what: trouble }
    const contents = contentsOf(manifest)
    const backup = { name, at, why, bytes, encrypted: key !== null, contents, unreadable: null }
    return { backup, folder, lacks: trouble }
  }

  async #write({ at, why, history, file, key }: NewFile): Promise<WrittenBackup> {
    const { folder, databases, house, random, program } = this.#parts
    const { core, history: historyDb } = databases()
    const parts = { core, history: history ? historyDb : null, house: await house() }
    const source = { folder, at, why, program, ...parts, lacks: null }
    try {
      return await writeNewBackup(source, { file, key, random })
    } catch (error) {
      const code = refusalCodeOf(error)
      throw new BackupRefused(`The backup ${file} could not be written: ${reasonOf(error)}.`, { code, cause: error })
    }
  }

  #poll(): void {
    const { clock } = this.#parts
    this.#cancel = clock.after(POLL_MS, () => this.#poll())
    const now = clock.now()
    if (this.#nextAt - now > NIGHT_AHEAD_MAX_MS) this.#nextAt = this.#nightAfter(now)
    if (now < this.#nextAt) return
    this.#nextAt = this.#nightAfter(now)
    const { history } = this.settings.choice
    this.#runAlone(() => this.#make('nightly', history)).catch((error: unknown) => this.#planRetry(error))
  }

  #planRetry(error: unknown): void {
    const { clock, log } = this.#parts
    const what = error instanceof Error ? error.message : String(error)
    this.#nextAt = Math.min(this.#nextAt, clock.now() + RETRY_AFTER_MS)
    this.#error = { at: clock.now(), what }
    log.error({ err: error }, 'The nightly backup failed: the gateway retries every hour.')
  }

  #nightAfter(at: number): number {
    const spread = this.#parts.random.bytes(2).readUInt16BE() / 0x1_00_00
    return nightAfter(at, this.#parts.zone(), Math.floor(spread * SPREAD_MS))
  }

  /** Plans the night after the latest nightly backup. That night may be over already: then the backup is due now. */
  async #planFirst(): Promise<void> {
    const now = this.#parts.clock.now()
    const last = (await this.#readFolders()).find((backup) => backup.why === 'nightly' && !isAhead(backup, now))
    if (last !== undefined) this.#nextAt = this.#nightAfter(Math.min(last.at, now))
  }

  async #readFolders(): Promise<readonly StoredBackup[]> {
    const backups = await this.#parts.folders.list()
    this.#stored = backups
    return backups
  }

  #runAlone<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1
    const result = this.#work.then(work).finally(() => (this.#working -= 1))
    this.#work = result.catch(() => {})
    return result
  }
}

function lastOf({ name, at, bytes }: StoredBackup, now: number): BackupState['last'] {
  return { name, at, bytes, ageSeconds: Math.max(0, Math.round((now - at) / 1_000)) }
}

interface FileChoice {
  readonly file: string
  readonly history?: boolean | undefined
  readonly encrypted?: boolean | undefined
}

interface NewFile {
  readonly at: number
  readonly why: BackupReason
  readonly history: boolean
  readonly file: string
  readonly key: BackupKey | null
}

const NO_PHRASE =
  'Create a recovery phrase first, with `bin/hm backup phrase` or in the console: backups that leave this machine are encrypted with it.'

const BUSY = 'Other backups are being made or checked, and more requests wait: try again when they are done.'

const NOT_PRUNED = 'older ones could not be removed'
const NOT_NOTED = 'its folder could not be recorded'

/** Runs a task after a backup was written. Returns a sentence if the task failed: the backup itself exists. */
async function failureSentence(failure: string, task: () => Promise<void>): Promise<string | null> {
  try {
    await task()
    return null
  } catch (error) {
    return `The backup was made, but ${failure}: ${reasonOf(error)}.`
  }
}
