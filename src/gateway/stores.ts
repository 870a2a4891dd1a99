import type { CredentialReader } from '../auth/credential.ts'
import { SqliteConfirmations } from '../db/core/confirmation-store.ts'
import type { CoreDb } from '../db/core/core-db.ts'
import { type CoreFiles, keepCopies, openCore } from '../db/core/core-files.ts'
import { SqliteAgentRequests } from '../db/core/agent-request-store.ts'
import { SqliteCredentials } from '../db/core/credential-store.ts'
import { SqliteHouse } from '../db/core/house-store.ts'
import { SqliteIntegrations } from '../db/core/integration-store.ts'
import { SqliteRules } from '../db/core/rule-store.ts'
import { SqliteSteady } from '../db/core/steady-store.ts'
import { SqliteTariff } from '../db/core/tariff-store.ts'
import { type HistoryDb, openHistory } from '../db/history/history-db.ts'
import { type DataFolder, readHomeId, writeHomeId } from './data-folder.ts'
import { foundHome } from './first-start.ts'
import type { GatewayOptions } from './options.ts'
import { drainOutbox } from '../home/record/outbox.ts'

export interface Stores {
  readonly core: CoreDb
  readonly house: SqliteHouse
  readonly integrations: SqliteIntegrations
  readonly credentials: SqliteCredentials & CredentialReader
  readonly confirmations: SqliteConfirmations
  readonly agentRequests: SqliteAgentRequests
  readonly steady: SqliteSteady
  readonly rules: SqliteRules
  readonly tariff: SqliteTariff
  readonly history: HistoryDb
  readonly serial: string
  readonly stop: () => void
}

/** Opens both databases, founds the home of a new folder, and keeps the outbox draining. */
export async function openStores(options: GatewayOptions): Promise<Stores> {
  const { folder, clock, random, log } = options
  const files: CoreFiles = { file: folder.coreDb, backups: folder.backups, home: readHomeId(folder), clock, log }
  const core = openCore(files)
  const house = new SqliteHouse(core)
  const known = house.serial()
  const serial = known ?? foundHome(core, house, random, options.firstHouse(), clock.now())
  if (files.home === null) await writeHomeId(folder, serial)
  const history = openHistory({ file: folder.historyDb, clock, random, log })
  const stopDraining = keepDraining(core, history, folder, options)
  const stopCopies = keepCopies(core, { ...files, home: serial })
  return {
    core,
    house,
    history,
    serial,
    integrations: new SqliteIntegrations(core),
    credentials: new SqliteCredentials(core),
    agentRequests: new SqliteAgentRequests(core),
    steady: new SqliteSteady(core),
    confirmations: new SqliteConfirmations(core),
    rules: new SqliteRules(core),
    tariff: new SqliteTariff(core),
    stop: () => {
      stopCopies()
      stopDraining()
      history.close()
      core.close()
    },
  }
}

/** Rows that the history could not take wait in the outbox for the next change, or the next try a minute later. */
const DRAIN_AGAIN_MS = 60_000

function keepDraining(
  core: CoreDb,
  history: HistoryDb,
  folder: DataFolder,
  { clock, log }: GatewayOptions,
): () => void {
  let cancelRetry = (): void => {}
  const drain = (): void => {
    cancelRetry()
    try {
      drainOutbox(core, history.activity)
    } catch (error) {
      log.error({ err: error, file: folder.historyDb }, 'Activity waits: the history takes no writes.')
      cancelRetry = clock.after(DRAIN_AGAIN_MS, drain)
    }
  }
  core.onOutbox(drain)
  drain()
  return () => {
    cancelRetry()
    core.onOutbox(() => {})
  }
}
