import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Clock, every } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { refusedRow } from './core-rows.ts'
import { type Sequence, lastNumberOf } from './numbers.ts'
import { isHealthy, readDatabase } from '../sound-file.ts'
import { pathExists } from '../../lib/files.ts'

export interface CopyFiles {
  /** Folder of the copies. */
  readonly backups: string
  readonly clock: Clock
  readonly log: Log
}

/** Number of newest copies that stay. */
export const COPIES_KEPT = 3
/** Number of days whose newest copy stays. */
export const COPY_DAYS_KEPT = 3
/** Delay between a change and its copy. */
export const COPY_AFTER_MS = 2 * 60_000
/** Minimum interval between copies of changes. */
export const COPIES_APART_MS = 15 * 60_000
/** Interval of unconditional copies. */
export const COPY_EVERY_MS = 24 * 60 * 60_000

/** Copies the configuration minutes after a change, and every day. The returned function stops that. */
export function keepCopies(core: CoreDb, files: CopyFiles): () => Promise<void> {
  const keeper = new CopyKeeper(core, files)
  return () => keeper.stop()
}

const BEGUN = /^core-.*\.db\.new/

class CopyKeeper {
  readonly #core: CoreDb
  readonly #files: CopyFiles
  /** Time of the last copy after a change, by the monotonic clock. */
  #changeCopiedAt: number
  #waiting: (() => void) | null = null
  /** Copies run one after another, because their numbers give the order. */
  #made: Promise<void> = Promise.resolve()
  readonly #stopDaily: () => void

  constructor(core: CoreDb, files: CopyFiles) {
    this.#core = core
    this.#files = files
    const { clock } = files
    const newest = copiesOf(files.backups)[0]
    const age = newest === undefined ? Infinity : ageOf(newest, clock)
    this.#changeCopiedAt = clock.monotonic() - age
    core.onChanged = () => this.#scheduleCopy()
    this.#stopDaily = every(clock, COPY_EVERY_MS, () => this.#copy())
    if (age > COPY_EVERY_MS) this.#copy()
    else if (newest !== undefined && !hasLastChange(newest, core.db)) this.#scheduleCopy()
  }

  /** Resolves when the pending copy has ended. */
  stop(): Promise<void> {
    this.#waiting?.()
    this.#stopDaily()
    this.#core.onChanged = () => {}
    return this.#made
  }

  #scheduleCopy(): void {
    if (this.#waiting !== null) return
    const { clock } = this.#files
    const wait = Math.max(COPY_AFTER_MS, this.#changeCopiedAt + COPIES_APART_MS - clock.monotonic())
    this.#waiting = clock.after(wait, () => {
      this.#changeCopiedAt = clock.monotonic()
      this.#copy()
    })
  }

  #copy(): void {
    this.#waiting?.()
    this.#waiting = null
    this.#made = this.#made
      .then(() => makeCopy(this.#core, this.#files))
      .catch((error: unknown) => this.#files.log.error({ err: error }, 'The configuration could not be copied.'))
  }
}

async function makeCopy(core: CoreDb, { backups, clock }: CopyFiles): Promise<void> {
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  removeBegun(backups)
  const name = nameOfNext(copiesOf(backups), clock)
  const fresh = join(backups, `${name}.new`)
  await core.backup(fresh)
  if (!isHealthy(fresh, (db) => refusedRow(db) === null)) {
    rmSync(fresh, { force: true })
    throw new Error('the copy is not sound')
  }
  const made = join(backups, name)
  renameSync(fresh, made)
  for (const old of superfluous(copiesOf(backups))) if (old !== made) rmSync(old, { force: true })
}

/** Removes unfinished copies of a killed gateway; each has a unique name. */
function removeBegun(backups: string): void {
  for (const name of readdirSync(backups)) if (BEGUN.test(name)) rmSync(join(backups, name), { force: true })
}

/** Age in ms; 0 for a copy from a clock ahead of this one. */
function ageOf(copy: string, clock: Clock): number {
  return Math.max(0, clock.now() - statSync(copy).mtimeMs)
}

/** True if the copy includes the last change, even one made by the start itself. */
function hasLastChange(copy: string, db: Db): boolean {
  return (['activity_outbox', 'incidents'] as const).every(
    (counted) => lastNumberIn(copy, counted) === lastNumberOf(db, counted),
  )
}

/** Number of the last change in a copy; -1 if unreadable. */
export function lastNumberIn(copy: string, counted: Sequence): number {
  try {
    return readDatabase(copy, (db) => lastNumberOf(db, counted)) ?? -1
  } catch {
    return -1
  }
}

/** An increasing number, and a time from a clock that may be wrong. */
const NUMBERED = /^core-(\d{6,15})-(.+)\.db$/
/** Copies of earlier versions have only the time. */
const COPY = /^core-.+\.db$/
const NUMBER_DIGITS = 6

function nameOfNext(copies: readonly string[], clock: Clock): string {
  const highest = Math.max(0, ...copies.map((copy) => numberOf(basename(copy))))
  const time = new Date(clock.now()).toISOString().replaceAll(':', '-')
  return `core-${String(highest + 1).padStart(NUMBER_DIGITS, '0')}-${time}.db`
}

/** 0, older than every other, if the name has no number. */
const numberOf = (name: string): number => Number(NUMBERED.exec(name)?.[1] ?? 0)

/** Newest first by number; copies without a number last, by the time in their name. */
export function copiesOf(folder: string): string[] {
  if (!pathExists(folder)) return []
  return readdirSync(folder)
    .filter((name) => COPY.test(name))
    .toSorted()
    .toReversed()
    .toSorted((one, other) => numberOf(other) - numberOf(one))
    .map((name) => join(folder, name))
}

/** The time in the name of a copy, for people; null if there is none. */
export function copyTimeOf(copy: string): string | null {
  const [, day, hour, minute] = /(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)/.exec(basename(copy)) ?? []
  return day === undefined ? null : `${day} ${hour}:${minute} UTC`
}

function dayOf(copy: string): string {
  const name = basename(copy)
  return (NUMBERED.exec(name)?.[2] ?? name.slice('core-'.length)).slice(0, '2026-11-22'.length)
}

/** Copies to remove. The remaining ones include older days, so that a late-noticed mistake can be undone. */
function superfluous(copies: readonly string[]): readonly string[] {
  const newestOfDay = [...Map.groupBy(copies, dayOf).values()].flatMap(([newest]) => newest ?? [])
  const remaining = new Set([...copies.slice(0, COPIES_KEPT), ...newestOfDay.slice(0, COPY_DAYS_KEPT)])
  return copies.filter((copy) => !remaining.has(copy))
}
