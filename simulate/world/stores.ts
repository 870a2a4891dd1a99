import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  linkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, basename } from 'node:path'
import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { CoreDb } from '../../src/db/core/core-db.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { Random } from '../../src/lib/random.ts'
import { copiesOf, keepCopies } from '../../src/db/core/core-copies.ts'
import { openCore } from '../../src/db/core/open-core.ts'
import { SqliteHouse } from '../../src/db/core/house-store.ts'
import { SqliteRules } from '../../src/db/core/rule-store.ts'
import { firstIdOf } from '../../src/db/history/activity-index.ts'
import { HISTORY_BYTES_DEFAULT, HistoryDb } from '../../src/db/history/history-db.ts'
import { HistoryFile } from '../../src/db/history/history-file.ts'
import { createHome } from '../../src/gateway/first-start.ts'
import type { GatewayOptions } from '../../src/gateway/options.ts'
import { keepDraining, keepSyncing, type Stores, storesOver } from '../../src/gateway/stores.ts'
import { NarrowedAccess } from '../../src/db/core/narrowed-access.ts'
import { RevisionMark } from '../../src/db/core/revision-mark.ts'
import { Revocations } from '../../src/db/core/revocations.ts'

export const CORE = 'core.db'
export const HISTORY = 'history.db'
export const REVOKED = 'revoked'
const REVISIONS = 'revisions.json'
const NARROWED = 'narrowed.json'

/** Layout of SQLite's write-ahead log and of its index (https://www.sqlite.org/walformat.html). */
const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const INDEX_FRAMES_AT = 16
const INDEX_PAGE_BYTES_AT = 14
const INDEX_COPIED_AT = 96

/** Length of a write-ahead log: frames written, and frames copied to the main file. */
interface LogMark {
  readonly frames: number
  readonly copied: number
  readonly pageBytes: number
}

/** Reads the log's index. Without a log all counts are 0. */
export function markOfLog(file: string): LogMark {
  const index = `${file}-shm`
  if (!existsSync(index)) return { frames: 0, copied: 0, pageBytes: 4096 }
  const bytes = Buffer.alloc(INDEX_COPIED_AT + 4)
  const handle = openSync(index, 'r')
  try {
    readSync(handle, bytes, 0, bytes.length, 0)
  } finally {
    closeSync(handle)
  }
  const pageBytes = bytes.readUInt16LE(INDEX_PAGE_BYTES_AT)
  return {
    frames: bytes.readUInt32LE(INDEX_FRAMES_AT),
    copied: bytes.readUInt32LE(INDEX_COPIED_AT),
    pageBytes: pageBytes === 1 ? 65_536 : pageBytes,
  }
}

/** Fewest and most frames of a log after a power cut. */
interface LogRange {
  readonly least: number
  readonly most: number
}

/** The synced part of a log, which survives a power cut. */
class SyncedLog {
  readonly #file: string
  #frames = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Records that everything written so far is synced. */
  synced(): void {
    this.#frames = markOfLog(this.#file).frames
  }

  /** Frames that a power cut now leaves. */
  range(): LogRange {
    const { frames, copied } = markOfLog(this.#file)
    // A restarted log is shorter than the synced one. The earlier frames are in the main file.
    const synced = this.#frames <= frames ? this.#frames : 0
    return { least: Math.max(copied, synced), most: frames }
  }
}

/**
 * Copies a database in the state after a power cut: the main file, `frames` frames of the log, and possibly a part of
 * the next frame.
 */
export function copyAsCut(from: string, to: string, frames: number, chance: SeededRandom): void {
  copyFileSync(from, to)
  const log = `${from}-wal`
  if (!existsSync(log) || frames === 0) return
  copyFileSync(log, `${to}-wal`)
  const { pageBytes } = markOfLog(from)
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const bytes = WAL_HEADER_BYTES + frames * frameBytes + (chance.chance(0.5) ? chance.whole(1, frameBytes - 1) : 0)
  truncateSync(`${to}-wal`, Math.min(bytes, statSync(log).size))
}

/** Text of a file that each write syncs, or an empty text without a file. */
export function textIn(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** A new folder for the next life of the home. */
export function nextFolder(root: string, life: number): string {
  const folder = join(root, String(life))
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Durations of a sync: short, or long during garbage collection of a memory card. */
const SYNC_MS = [1, 2, 3, 150] as const

/** Returns the duration of the next sync in milliseconds. */
export type SyncMs = () => number

export const syncMsBy =
  (random: Random): SyncMs =>
  () =>
    SYNC_MS[(random.bytes(1)[0] ?? 0) % SYNC_MS.length] ?? 1

/** SQLite's number for `synchronous=FULL`. */
const FULL = 2

const failure = (code: string): Error => Object.assign(new Error(`${code}: planted by the simulator.`), { code })

/** core.db's log on the disk. Only commits that wait for a later sync may be missing. */
class DeferredSync {
  readonly #file: string
  /** Frames before the first waiting change; null without waiting changes. */
  #from: number | null = null
  #deferrals = 0
  #fails = false
  #onDeferred: () => void = () => {}

  constructor(file: string) {
    this.#file = file
  }

  onDeferred(listener: () => void): void {
    this.#onDeferred = listener
  }

  /** Makes all syncs fail, or succeed again. */
  fail(fails: boolean): void {
    this.#fails = fails
  }

  /** Observes the commits of a database without a sync. */
  follow(core: CoreDb): void {
    const [deferring, commitDeferred] = [core.deferring.bind(core), core.commitDeferred.bind(core)]
    const change = core.change.bind(core)
    core.deferring = (run) => {
      this.#onDeferred()
      return this.#unsynced(() => deferring(run))
    }
    core.commitDeferred = (run) =>
      core.db.inTransaction ? commitDeferred(run) : this.#unsynced(() => commitDeferred(run))
    core.change = (run) => {
      let waits = false
      const answer = change((record) => {
        waits = core.db.pragma('synchronous', { simple: true }) === FULL
        const its = run(record)
        if (waits && this.#fails) throw failure('SQLITE_IOERR_FSYNC')
        return its
      })
      // A synced commit also syncs all earlier ones.
      if (waits) this.#from = null
      return answer
    }
    const pragma = core.db.pragma.bind(core.db)
    core.db.pragma = (text, options) => {
      if (text !== 'wal_checkpoint(PASSIVE)') return pragma(text, options)
      if (this.#fails) throw failure('SQLITE_IOERR_FSYNC')
      this.#from = null
      return pragma(text, options)
    }
  }

  #unsynced<T>(commit: () => T): T {
    const [earlier, { frames }] = [this.#from, markOfLog(this.#file)]
    // The sync may begin before the commit returns.
    this.#deferrals += 1
    this.#from ??= frames
    try {
      return commit()
    } finally {
      if (markOfLog(this.#file).frames === frames) this.#from = earlier
    }
  }

  /** Syncs after some time. Commits in the meantime wait for the next sync. */
  async sync(clock: Clock, syncMs: SyncMs): Promise<void> {
    const before = this.#deferrals
    const { frames } = markOfLog(this.#file)
    await new Promise<void>((resolve) => {
      clock.after(syncMs(), resolve)
    })
    if (this.#fails) throw failure('EIO')
    const all = this.#deferrals === before || this.#from === null
    this.#from = all ? null : Math.max(frames, this.#from ?? frames)
  }

  range(): LogRange {
    const { frames, copied } = markOfLog(this.#file)
    // A restarted log has no earlier waiting changes.
    return { least: Math.max(copied, Math.min(this.#from ?? frames, frames)), most: frames }
  }
}

const BACKUPS = 'backups'
/** The time in a copy's name: `2027-03-03T10-50-00.000Z`. */
const TIME_IN_NAME = /(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-([\d.]+Z)/

export function backupsIn(folder: string): string {
  return join(folder, BACKUPS)
}

/** Dates safety copies by their names, because the files have the machine's time. */
function datedByName(backups: string): void {
  for (const copy of copiesOf(backups)) {
    const at = new Date(
      basename(copy)
        .replace(/^core-\d+-/, '')
        .replace(TIME_IN_NAME, '$1$2:$3:$4')
        .replace('.db', ''),
    )
    utimesSync(copy, at, at)
  }
}

/** Makes safety copies at once, without the threads of the real gateway. */
function copyingAtOnce(core: CoreDb): void {
  core.backup = (file) => {
    const bytes = core.db.serialize()
    writeFileSync(file, bytes)
    return Promise.resolve(bytes.length)
  }
}

/** Copies the files that survive a power cut. A safety copy is on the disk before it gets its name. */
export function keepOverCrash(from: string, to: string): void {
  for (const name of [REVISIONS, NARROWED])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
  if (!existsSync(backupsIn(from))) return
  mkdirSync(backupsIn(to))
  // A finished copy is never written again, so both lives can share the file.
  for (const copy of copiesOf(backupsIn(from))) linkSync(copy, join(backupsIn(to), basename(copy)))
}

/** The stores of one life of the home, with access for the simulator. */
export interface SimulatedStores {
  readonly stores: Stores
  readonly historySynced: SyncedLog
  /** Frames of core.db's log that a power cut now leaves. */
  readonly coreRange: () => LogRange
  /** Calls `listener` before each change whose acknowledgement waits for a later sync. */
  readonly onDeferred: (listener: () => void) => void
  /** Entries of the activity in a range of times. */
  readonly activityCount: (from: number, to: number) => number
  /** Makes the disk refuse writes, or accept them again. */
  readonly refuseWrites: (refuse: boolean) => void
  /** Makes all syncs of core.db fail, or succeed again. */
  readonly failSyncs: (fail: boolean) => void
  /** Empties the outbox, makes safety copies and retries failed syncs. The returned function stops this. */
  readonly keep: (core: CoreDb) => () => void
  readonly close: () => void
}

interface OnDisk {
  readonly folder: string
  /** The home's serial; null at the first start. */
  readonly serial: string | null
  readonly syncMs: SyncMs
}

/** Opens both databases of a folder as the gateway does, on a simulated disk. */
export function openSimulatedStores({ folder, serial, syncMs }: OnDisk, options: GatewayOptions): SimulatedStores {
  const { clock, random, log, newHome } = options
  const coreSynced = new DeferredSync(join(folder, CORE))
  const backups = backupsIn(folder)
  const revocations = new Revocations(join(folder, REVOKED), log)
  const core = openCore({
    file: join(folder, CORE),
    backups,
    home: serial,
    revocations,
    revisions: new RevisionMark(join(folder, REVISIONS)),
    narrowed: new NarrowedAccess(join(folder, NARROWED)),
    clock,
    log,
    syncFile: () => coreSynced.sync(clock, syncMs),
  })
  coreSynced.follow(core)
  copyingAtOnce(core)
  const file = new HistoryFile({ file: join(folder, HISTORY), clock, log, bytesMax: HISTORY_BYTES_DEFAULT })
  const history = new HistoryDb(file, { file: join(folder, HISTORY), clock, random, log })
  const house = new SqliteHouse(core)
  const rules = new SqliteRules(core)
  const historySynced = new SyncedLog(join(folder, HISTORY))
  const homeSerial = house.serial() ?? createHome({ core, house, rules }, random, newHome, clock.now())
  const disk = { usage: () => ({ bytes: 1, bytesFree: 1, state: 'ok' as const }) }
  const stores = storesOver({ disk, core, house, rules, history, revocations, serial: homeSerial }, () =>
    Promise.resolve(),
  )
  datedByName(backups)
  const keep = (from: CoreDb): (() => void) => {
    const stops = [
      keepDraining(from, {
        history: history.activity,
        onDisk: () => Promise.resolve(historySynced.synced()),
        clock,
        failed: (error) => log.error({ err: error }, 'Activity waits: the history accepts no writes.'),
      }),
      keepCopies(from, { backups, clock, log }),
      keepSyncing(from, clock),
    ]
    return () => stops.forEach((stop) => stop())
  }
  return {
    stores,
    keep,
    historySynced,
    coreRange: () => coreSynced.range(),
    onDeferred: (listener) => coreSynced.onDeferred(listener),
    activityCount: (from, to) => entriesOf(file, firstIdOf(from), firstIdOf(to)),
    refuseWrites: (refuse) => {
      core.db.pragma(`query_only = ${refuse ? 1 : 0}`)
      file.pragma(`query_only = ${refuse ? 1 : 0}`)
    },
    failSyncs: (fail) => coreSynced.fail(fail),
    close: () => {
      history.close()
      core.close()
    },
  }
}

function entriesOf(file: HistoryFile, from: number, to: number): number {
  const count = file.prepare<[number, number], number>('SELECT count(*) FROM activity WHERE id >= ? AND id < ?').pluck()
  return count.get(from, to) ?? 0
}
