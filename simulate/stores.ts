import { join } from 'node:path'
import { SqliteAgentRequests } from '../src/db/core/agent-request-store.ts'
import { SqliteConfirmations } from '../src/db/core/confirmation-store.ts'
import type { CoreDb } from '../src/db/core/core-db.ts'
import { openCore } from '../src/db/core/core-files.ts'
import { SqliteCredentials } from '../src/db/core/credential-store.ts'
import { SqliteHouse } from '../src/db/core/house-store.ts'
import { SqliteIntegrations } from '../src/db/core/integration-store.ts'
import { SqliteKeyedWrites } from '../src/db/core/keyed-write-store.ts'
import { SqliteRules } from '../src/db/core/rule-store.ts'
import { SqliteSteady } from '../src/db/core/steady-store.ts'
import { SqliteTariff } from '../src/db/core/tariff-store.ts'
import { firstIdOf } from '../src/db/history/activity-id.ts'
import { HISTORY_BYTES_DEFAULT, HistoryDb } from '../src/db/history/history-db.ts'
import { HistoryFile } from '../src/db/history/history-file.ts'
import { foundHome } from '../src/gateway/first-start.ts'
import type { GatewayOptions } from '../src/gateway/options.ts'
import type { Stores } from '../src/gateway/stores.ts'
import { drainOutbox } from '../src/home/record/outbox.ts'
import { SqliteIncidents } from '../src/db/core/incident-store.ts'
import { Revocations } from '../src/db/core/revocations.ts'
import { cellForms } from '../src/gateway/cell-forms.ts'
import { CORE, HISTORY, REVOKED, SyncedLog } from './files.ts'

/** SQLite's number of `synchronous=FULL`. */
const FULL = 2
/** Rows that the history could not take are tried again after this long. */
const DRAIN_AGAIN_MS = 60_000

/** The stores of one life of the home, with what the simulator must know of them. */
export interface SimulatedStores {
  readonly stores: Stores
  readonly historySynced: SyncedLog
  /** The least and the most frames of core.db's log that a power cut now leaves. */
  readonly coreRange: () => ReturnType<SyncedLog['range']>
  /** Entries of the activity in a range of times. */
  readonly activityCount: (from: number, to: number) => number
  /** The disk refuses writes, or takes them again. */
  readonly refuseWrites: (refuse: boolean) => void
  readonly close: () => void
}

/** Opens both databases of a folder as the gateway does, on a disk that is the simulator's. */
export function openStores(folder: string, serial: string | null, options: GatewayOptions): SimulatedStores {
  const { clock, random, log, newHome } = options
  const revocations = new Revocations(join(folder, REVOKED), log)
  const core = openCore({
    file: join(folder, CORE),
    backups: join(folder, 'backups'),
    home: serial,
    revocations,
    forms: cellForms,
    clock,
    log,
    // No turn of the machine's own: what a power cut takes of what was not answered yet, the world chooses.
    syncFile: () => Promise.resolve(),
  })
  const file = new HistoryFile({ file: join(folder, HISTORY), clock, log, bytesMax: HISTORY_BYTES_DEFAULT })
  const history = new HistoryDb(file, { file: join(folder, HISTORY), clock, random, log })
  const house = new SqliteHouse(core)
  const rules = new SqliteRules(core)
  const coreSynced = new SyncedLog(join(folder, CORE))
  const historySynced = new SyncedLog(join(folder, HISTORY))
  const drain = drainOf({ core, history, historySynced, clock, log })
  core.onOutbox(drain)
  const serialNow = house.serial() ?? foundHome({ core, house, rules }, random, newHome, clock.now())
  const stores = storesOf({ core, house, rules, history, revocations, serial: serialNow })
  drain()
  return {
    stores,
    historySynced,
    coreRange: () => {
      // With FULL each commit is synced before it is over.
      if (core.db.pragma('synchronous', { simple: true }) === FULL) coreSynced.synced()
      return coreSynced.range()
    },
    activityCount: (from, to) =>
      file
        .prepare<[number, number], number>('SELECT count(*) FROM activity WHERE id >= ? AND id < ?')
        .pluck()
        .get(firstIdOf(from), firstIdOf(to)) ?? 0,
    refuseWrites: (refuse) => {
      core.db.pragma(`query_only = ${refuse ? 1 : 0}`)
      file.pragma(`query_only = ${refuse ? 1 : 0}`)
    },
    close: () => {
      history.close()
      core.close()
    },
  }
}

/** Moves the outbox into the history, where it is synced at once (src/db/history/activity-store.ts). */
function drainOf({
  core,
  history,
  historySynced,
  clock,
  log,
}: Pick<GatewayOptions, 'clock' | 'log'> & {
  readonly core: CoreDb
  readonly history: HistoryDb
  readonly historySynced: SyncedLog
}): () => void {
  let cancelRetry = (): void => {}
  const drain = (): void => {
    cancelRetry()
    try {
      if (drainOutbox(core, history.activity) > 0) historySynced.synced()
    } catch (error) {
      log.error({ err: error }, 'Activity waits: the history takes no writes.')
      cancelRetry = clock.after(DRAIN_AGAIN_MS, drain)
    }
  }
  return drain
}

type Opened = Pick<Stores, 'core' | 'house' | 'rules' | 'history' | 'revocations' | 'serial'>

/** All stores over the two databases. */
function storesOf(opened: Opened): Stores {
  const { core } = opened
  return {
    disk: { usage: () => ({ bytes: 1, bytesFree: 1, state: 'ok' }) },
    ...opened,
    integrations: new SqliteIntegrations(core),
    credentials: new SqliteCredentials(core),
    agentRequests: new SqliteAgentRequests(core),
    keyedWrites: new SqliteKeyedWrites(core),
    incidents: new SqliteIncidents(core),
    steady: new SqliteSteady(core),
    confirmations: new SqliteConfirmations(core),
    tariff: new SqliteTariff(core),
    [Symbol.dispose]: () => {},
  }
}
