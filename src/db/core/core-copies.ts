import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Clock, every } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { CoreDb } from './core-db.ts'
import { type Copy, isWellFormed } from './mending.ts'
import { isHealthy, looked } from './sound-file.ts'

export interface CopyFiles {
  /** core.db itself. */
  readonly file: string
  /** The folder of its copies. */
  readonly backups: string
  readonly clock: Clock
  readonly log: Log
}

/** Copies of the configuration that are kept: the newest, */
export const COPIES_KEPT = 3
/** and the newest of each of so many days. */
export const COPY_DAYS_KEPT = 3
/** A change is in a copy after this long, */
export const COPY_AFTER_MS = 2 * 60_000
/** unless the change before was copied less than this ago. */
export const COPIES_APART_MS = 15 * 60_000
/** A copy is made this often in any case. */
export const COPY_EVERY_MS = 24 * 60 * 60_000

/** Copies the configuration minutes after it changed, and every day; the returned function stops that. */
export function keepCopies(core: CoreDb, files: CopyFiles): () => void {
  const keeper = new CopyKeeper(core, files)
  return () => keeper.stop()
}

class CopyKeeper {
  readonly #core: CoreDb
  readonly #files: CopyFiles
  /** When a change was copied last, by the monotonic clock. */
  #changeCopiedAt: number
  #waiting: (() => void) | null = null
  readonly #stopDaily: () => void

  constructor(core: CoreDb, files: CopyFiles) {
    this.#core = core
    this.#files = files
    const { clock } = files
    const newest = copiesOf(files.backups)[0]
    const age = newest === undefined ? Infinity : clock.now() - statSync(newest).mtimeMs
    this.#changeCopiedAt = clock.monotonic() - age
    core.onChanged(() => this.#changed())
    this.#stopDaily = every(clock, COPY_EVERY_MS, () => this.#copy())
    if (age > COPY_EVERY_MS) this.#copy()
    else if (newest !== undefined && changedSince(newest, files.file)) this.#changed()
  }

  stop(): void {
    this.#waiting?.()
    this.#stopDaily()
    this.#core.onChanged(() => {})
  }

  #changed(): void {
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
    makeCopy(this.#core, this.#files).catch((error: unknown) =>
      this.#files.log.error({ err: error }, 'The configuration could not be copied.'),
    )
  }
}

async function makeCopy(core: CoreDb, { backups, clock }: CopyFiles): Promise<void> {
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  const name = `core-${new Date(clock.now()).toISOString().replaceAll(':', '-')}.db`
  const fresh = join(backups, `${name}.new`)
  rmSync(fresh, { force: true })
  await core.backup(fresh)
  if (!isHealthy(fresh) || looked(fresh, isWellFormed) !== true) {
    rmSync(fresh, { force: true })
    throw new Error('the copy is not sound')
  }
  renameSync(fresh, join(backups, name))
  for (const old of superfluous(copiesOf(backups))) rmSync(old, { force: true })
}

/** Whether the configuration was written after the copy was made: a stop may have come before the next copy. */
function changedSince(copy: string, file: string): boolean {
  const writtenAt = [file, `${file}-wal`].map((part) => statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.max(...writtenAt) > statSync(copy).mtimeMs
}

/** Newest first: the name carries the time. */
export function copiesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^core-.+\.db$/.test(name))
    .toSorted()
    .toReversed()
    .map((name) => join(folder, name))
}

/** The same, to be looked into. */
export function copiesIn(folder: string): readonly Copy[] {
  return copiesOf(folder).map((file) => ({ name: basename(file), look: (read) => looked(file, read) }))
}

/** Those to be removed: an error that is noticed days later finds a copy from before it. */
function superfluous(copies: readonly string[]): readonly string[] {
  const dayOf = (copy: string): string => basename(copy).slice(0, 'core-2026-11-22'.length)
  const newestOfDay = [...Map.groupBy(copies, dayOf).values()].flatMap(([newest]) => newest ?? [])
  const kept = new Set([...copies.slice(0, COPIES_KEPT), ...newestOfDay.slice(0, COPY_DAYS_KEPT)])
  return copies.filter((copy) => !kept.has(copy))
}
