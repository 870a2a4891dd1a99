import { join } from 'node:path'
import { keepCopies } from '../../src/db/core/core-copies.ts'
import type { CoreDb } from '../../src/db/core/core-db.ts'
import { openCore } from '../../src/db/core/open-core.ts'
import { SqliteHouse } from '../../src/db/core/house-store.ts'
import { SqliteRules } from '../../src/db/core/rule-store.ts'
import { firstIdOf } from '../../src/db/history/activity-id.ts'
import { HISTORY_BYTES_DEFAULT, HistoryDb } from '../../src/db/history/history-db.ts'
import { HistoryFile } from '../../src/db/history/history-file.ts'
import { foundHome } from '../../src/gateway/first-start.ts'
import type { GatewayOptions } from '../../src/gateway/options.ts'
import { keepDraining, keepSyncing, type Stores, storesOver } from '../../src/gateway/stores.ts'
import { NarrowedAccess } from '../../src/db/core/narrowed-access.ts'
import { RevisionMark } from '../../src/db/core/revision-mark.ts'
import { Revocations } from '../../src/db/core/revocations.ts'
import {
  DeferredSync,
  type SyncMs,
  backupsIn,
  copyingAtOnce,
  datedByName,
  CORE,
  HISTORY,
  type LogRange,
  NARROWED,
  REVISIONS,
  REVOKED,
  SyncedLog,
} from './files.ts'

/** The stores of one life of the home, with what the simulator must know of them. */
export interface SimulatedStores {
  readonly stores: Stores
  readonly historySynced: SyncedLog
  /** The least and the most frames of core.db's log that a power cut now leaves. */
  readonly coreRange: () => LogRange
  /** `listener` is told before each change that is acknowledged only once it was synced. */
  readonly onDeferred: (listener: () => void) => void
  /** Entries of the activity in a range of times. */
  readonly activityCount: (from: number, to: number) => number
  /** The disk refuses writes, or takes them again. */
  readonly refuseWrites: (refuse: boolean) => void
  /** The disk takes what core.db writes and syncs nothing of it, or does again. */
  readonly failSyncs: (fail: boolean) => void
  /** Empties the outbox, makes safety copies and syncs what a failing disk left, until what it returns is called. */
  readonly keep: (core: CoreDb) => () => void
  readonly close: () => void
}

interface OnDisk {
  readonly folder: string
  /** The home's serial; null at the first start. */
  readonly serial: string | null
  readonly syncMs: SyncMs
}

/** Opens both databases of a folder as the gateway does, on a disk that is the simulator's. */
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
  const serialNow = house.serial() ?? foundHome({ core, house, rules }, random, newHome, clock.now())
  const disk = { usage: () => ({ bytes: 1, bytesFree: 1, state: 'ok' as const }) }
  const stores = storesOver({ disk, core, house, rules, history, revocations, serial: serialNow }, () => {})
  datedByName(backups)
  const keep = (from: CoreDb): (() => void) => {
    const stops = [
      keepDraining(from, {
        history: history.activity,
        onDisk: () => Promise.resolve(historySynced.synced()),
        clock,
        failed: (error) => log.error({ err: error }, 'Activity waits: the history takes no writes.'),
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
