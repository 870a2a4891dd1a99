import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { encryptedFile, kindOfFile } from '../format/backup-file.ts'
import type { BackupReason, Manifest } from '../format/manifest.ts'
import { isAhead } from './retention.ts'
import { type BackupKey, keyFinder } from '../format/phrase.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import { ZoneTime } from '../../lib/zone-time.ts'
import { checkBackup, contentsOf } from './parts.ts'
import type { BackupSettings } from './settings.ts'
import {
  backupName,
  BackupRefused,
  type BackupShelf,
  describedBackup,
  type DescribedBackup,
  pruned,
  refusalCodeOf,
  type ShelvedBackup,
} from './backup-folder.ts'
import type { DataFolder } from '../../settings/data-folder.ts'
import { removeCutShort, writeNewBackup, type WrittenBackup } from './new-backup.ts'
import { makeWorkFolder } from './work-folder.ts'
import { nightAfter, SPREAD_MS } from './nights.ts'

/** How backups are doing, for status, metrics and whoever else tells of it. */
export interface BackupState {
  /** The folder that was chosen. */
  readonly folder: string
  /** The newest one but those dated ahead, opened and checked after it was written; null before the first. */
  readonly last: (Pick<ShelvedBackup, 'name' | 'at' | 'bytes'> & { readonly ageSeconds: number }) | null
  /** Epoch ms of the next night, or of the next try after one that failed. */
  readonly nextAt: number
  /** Why the last one could not be made, or not where it should be; null since it could. */
  readonly error: { readonly at: number; readonly what: string } | null
  /** Whether one is being made or checked now. */
  readonly working: boolean
  /** Epoch ms; null where there is no recovery phrase. */
  readonly phraseSince: number | null
}

export interface BackupsParts {
  readonly folder: DataFolder
  readonly serial: string
  readonly shelf: BackupShelf
  readonly settings: BackupSettings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Version of the running program. */
  readonly program: string
  /** IANA. */
  readonly zone: () => string
  /** The present databases; null for a history that is in memory alone. */
  readonly databases: () => { readonly core: string; readonly history: string | null }
  /** The house's file as it is now. */
  readonly house: () => Promise<string>
}

export interface MadeBackup {
  readonly backup: DescribedBackup
  readonly folder: string
  /** Why it lies elsewhere than was chosen, or what could not be done after it was written; null where all is well. */
  readonly lacks: string | null
}

/** Whether it is time to make one is looked at this often: by the wall clock, which may be set. */
const LOOK_MS = 60_000
/** A home without any backup gets its first so long after its start, */
const FIRST_AFTER_MS = 60 * 60_000
/** and one that could not be made is tried again. */
const AGAIN_AFTER_MS = 60 * 60_000
/** Of what people and programs ask for, so much is under way or waits; a further one is refused. */
const ASKED_MAX = 4
/** A night that is farther away was reckoned by a clock that was wrong. */
const NIGHT_AHEAD_MAX_MS = 50 * 60 * 60_000

/** Makes the backups of a home: each night, before updates and when somebody asks. One at a time. */
export class Backups {
  readonly #parts: BackupsParts
  #work: Promise<unknown> = Promise.resolve()
  #working = 0
  #nextAt: number
  #error: BackupState['error'] = null
  #known: readonly ShelvedBackup[] = []
  #cancel: () => void

  constructor(parts: BackupsParts) {
    this.#parts = parts
    const { clock } = parts
    this.#nextAt = clock.now() + FIRST_AFTER_MS
    this.#alone(() => removeCutShort(parts.folder, parts.shelf.folder)).catch((error: unknown) =>
      parts.log.warn({ err: error }, 'What a backup left that was cut short could not be removed.'),
    )
    this.#begin().catch((error: unknown) =>
      parts.log.warn({ err: error }, 'The folder of backups could not be read: the next backup is made in an hour.'),
    )
    this.#cancel = clock.after(LOOK_MS, () => this.#look())
  }

  state(): BackupState {
    const { shelf, settings, clock } = this.#parts
    const now = clock.now()
    const last = this.#known.find((backup) => !isAhead(backup, now))
    return {
      folder: shelf.folder,
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

  /** The newest first. */
  async list(): Promise<readonly DescribedBackup[]> {
    const find = keyFinder(this.settings.key, null)
    return Promise.all((await this.#shelved()).map((each) => describedBackup(each, find)))
  }

  /** @throws BackupRefused where there is none of this name. */
  async named(name: string): Promise<ShelvedBackup> {
    const found = (await this.#shelved()).find((each) => each.name === name)
    if (found === undefined) throw new BackupRefused(`There is no backup ${name}.`, { code: 'not_found' })
    return found
  }

  /** Makes one in the folder of backups. @throws BackupRefused, with why it could not be made and what to do. */
  make(why: BackupReason, history = this.settings.choice.history): Promise<MadeBackup> {
    return this.alone(() => this.#make(why, history))
  }

  /**
   * Writes a backup to a new file, encrypted if there is a recovery phrase, unless `choice` says otherwise.
   * @throws BackupRefused
   */
  async write({
    file,
    history = this.settings.choice.history,
    encrypted = this.settings.key !== null,
  }: WriteChoice): Promise<WrittenBackup & { readonly encrypted: boolean }> {
    const key = encrypted ? this.#ownKey() : null
    const at = this.#parts.clock.now()
    const written = await this.alone(() => this.#write({ at, why: 'asked', history, file, key }))
    return { bytes: written.bytes, encrypted, manifest: written.manifest }
  }

  /** Opens one as a restore would. @throws BackupRefused, BackupProblem */
  check(name: string): Promise<Manifest> {
    return this.alone(async () => {
      const { file } = await this.named(name)
      await using work = await makeWorkFolder(this.#parts.folder.path)
      return await checkBackup(file, keyFinder(this.settings.key, null), work.path)
    })
  }

  /**
   * Whatever else takes the folder of the work, or must not be done twice at once: one after the other.
   * @throws BackupRefused where too much waits already.
   */
  alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working >= ASKED_MAX) return Promise.reject(new BackupRefused(BUSY, { code: 'overloaded' }))
    return this.#alone(work)
  }

  /** The encrypted bytes of one, for a download. @throws BackupRefused where there is none, or no phrase. */
  async taken(name: string): Promise<AsyncIterable<Uint8Array>> {
    const { file } = await this.named(name)
    if ((await kindOfFile(file)) === 'encrypted') return createReadStream(file) as AsyncIterable<Buffer>
    return encryptedFile(file, this.#ownKey())
  }

  /** Resolves when no backup is being made or checked any more. */
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
    const { clock, shelf, serial, zone, folder: data } = this.#parts
    const { folder, key, lacks } = await shelf.target(why)
    const at = clock.now()
    const taken = (await this.#shelved()).map((each) => each.name)
    const name = backupName(at, { serial, why, taken })
    const file = join(folder, name)
    const { manifest, bytes } = await this.#write({ at, why, history, file, key })
    const tidied = await sentenceOf(NOT_TIDIED, async () => {
      await pruned(folder, serial, { now: at, zone: new ZoneTime(zone()), made: name })
      await this.#shelved()
    })
    const noted = await sentenceOf(NOT_NOTED, async () => {
      if (folder !== data.backups) await this.settings.setFilled(folder)
    })
    const told = [lacks, manifest.lacks, tidied, noted].filter((each) => each !== null).join(' ') || null
    this.#error = told === null ? null : { at, what: told }
    const contents = contentsOf(manifest)
    const backup = { name, at, why, bytes, encrypted: key !== null, contents, unreadable: null }
    return { backup, folder, lacks: told }
  }

  async #write({ at, why, history, file, key }: NewFile): Promise<WrittenBackup> {
    const { folder, databases, house, random, program } = this.#parts
    const { core, history: historyDb } = databases()
    const parts = { core, history: history ? historyDb : null, house: await house() }
    const staged = { folder, at, why, program, ...parts, lacks: null }
    try {
      return await writeNewBackup(staged, { file, key, random })
    } catch (error) {
      const code = refusalCodeOf(error)
      throw new BackupRefused(`The backup ${file} could not be written: ${reasonOf(error)}.`, { code, cause: error })
    }
  }

  #look(): void {
    const { clock } = this.#parts
    this.#cancel = clock.after(LOOK_MS, () => this.#look())
    const now = clock.now()
    if (this.#nextAt - now > NIGHT_AHEAD_MAX_MS) this.#nextAt = this.#nightAfter(now)
    if (now < this.#nextAt) return
    this.#nextAt = this.#nightAfter(now)
    const { history } = this.settings.choice
    this.#alone(() => this.#make('nightly', history)).catch((error: unknown) => this.#failed(error))
  }

  #failed(error: unknown): void {
    const { clock, log } = this.#parts
    const what = error instanceof Error ? error.message : String(error)
    this.#nextAt = Math.min(this.#nextAt, clock.now() + AGAIN_AFTER_MS)
    this.#error = { at: clock.now(), what }
    log.error({ err: error }, 'The backup of this night could not be made: it is tried again every hour.')
  }

  #nightAfter(at: number): number {
    const spread = this.#parts.random.bytes(2).readUInt16BE() / 0x1_00_00
    return nightAfter(at, this.#parts.zone(), Math.floor(spread * SPREAD_MS))
  }

  /** The next night goes by the last one, which may have been missed. */
  async #begin(): Promise<void> {
    const now = this.#parts.clock.now()
    const last = (await this.#shelved()).find((each) => each.why === 'nightly' && !isAhead(each, now))
    if (last !== undefined) this.#nextAt = this.#nightAfter(Math.min(last.at, now))
  }

  /** All there are. They are remembered: nobody who asks how backups are doing waits for their folder. */
  async #shelved(): Promise<readonly ShelvedBackup[]> {
    const all = await this.#parts.shelf.list()
    this.#known = all
    return all
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1
    const done = this.#work.then(work).finally(() => (this.#working -= 1))
    this.#work = done.catch(() => {})
    return done
  }
}

function lastOf({ name, at, bytes }: ShelvedBackup, now: number): BackupState['last'] {
  return { name, at, bytes, ageSeconds: Math.max(0, Math.round((now - at) / 1_000)) }
}

interface WriteChoice {
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
  'Make a recovery phrase first: what leaves this machine is encrypted with it. `bin/hm backup phrase` does, and so does the console.'

const BUSY = 'Other backups are being made or checked, and more wait already: try again once they are done.'

const NOT_TIDIED = 'older ones that need not be kept could not be removed'
const NOT_NOTED = 'that its folder is in use could not be noted'

/** What could not be done after a backup was written, as a sentence: the backup is there all the same. */
async function sentenceOf(what: string, tidy: () => Promise<void>): Promise<string | null> {
  try {
    await tidy()
    return null
  } catch (error) {
    return `The backup was made, and ${what}: ${reasonOf(error)}.`
  }
}
