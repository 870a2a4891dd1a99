import { administrationEntry } from '../auth/credentials/pending-revocations.ts'
import type { CredentialReader } from '../auth/credentials/credentials.ts'
import { SqliteCalendars } from '../db/core/calendar-store.ts'
import { SqliteConfirmations } from '../db/core/confirmation-store.ts'
import {
  SqliteConsoleSessions,
  SqliteOperators,
  SqlitePasskeys,
  SqlitePersons,
} from '../db/core/administrator-stores.ts'
import type { CoreDb } from '../db/core/core-db.ts'
import { keepCopies } from '../db/core/core-copies.ts'
import { type CoreFiles, correctedHome, openCore } from '../db/core/open-core.ts'
import { stateAtStart, seal } from '../db/core/seal.ts'
import { isWritable } from '../db/core/unwritable-disk.ts'
import { NarrowedAccess } from '../db/core/narrowed-access.ts'
import { SqliteAgentRequests, SqliteAgentSessions } from '../db/core/agent-request-store.ts'
import { SqliteCredentials } from '../db/core/credential-store.ts'
import { SqliteHostedTokens } from '../db/core/hosted-token-store.ts'
import { SqliteHouse } from '../db/core/house-store.ts'
import { SqliteIncidents } from '../db/core/incident-store.ts'
import { SqliteIntegrations } from '../db/core/integration-store.ts'
import { SqliteKeyedWrites } from '../db/core/keyed-write-store.ts'
import { SqliteMessages } from '../db/core/message-store.ts'
import { SqliteDeliveries } from '../db/core/delivery-store.ts'
import { SqlitePush } from '../db/core/push-store.ts'
import { SqliteTabletPins } from '../db/core/tablet-pin-store.ts'
import { SqliteWebhooks } from '../db/core/webhook-store.ts'
import { acceptOlder } from '../db/core/older-configuration.ts'
import { RevisionMark } from '../db/core/revision-mark.ts'
import { Revocations } from '../db/core/revocations.ts'
import { SqliteRules } from '../db/core/rule-store.ts'
import { SqlitePresence } from '../db/core/presence-store.ts'
import { SqliteMode, SqliteSteady, SqliteTariff } from '../db/core/single-rows.ts'
import { CheckpointThread } from '../db/checkpoint-thread.ts'
import { type HistoryDb, openHistory } from '../db/history/history-db.ts'
import { backUpBeforeUpdate } from '../backup/keeping/before-update.ts'
import { readHomeId, writeHomeId } from '../settings/data-folder.ts'
import { Disk, type DiskParts } from '../operations/disk.ts'
import { programVersion } from '../operations/release.ts'
import { createHome } from './first-start.ts'
import type { GatewayOptions } from './options.ts'
import { type Clock, every } from '../lib/clock.ts'
import { closeWithTimeout } from '../lib/closing.ts'
import { GATEWAY_CAUSE } from '../home/model/events.ts'
import { pathExists, removeLeftover } from '../lib/files.ts'
import { OutboxDrain, type OutboxDrainParts } from '../home/record/outbox.ts'

/** Interval of new attempts to sync a failed disk. */
const SYNCED_AGAIN_MS = 60_000

export interface Stores extends AsyncDisposable {
  readonly disk: Pick<Disk, 'usage'>
  readonly core: CoreDb
  readonly house: SqliteHouse
  readonly integrations: SqliteIntegrations
  readonly credentials: SqliteCredentials & CredentialReader
  readonly confirmations: SqliteConfirmations
  readonly agentRequests: SqliteAgentRequests
  readonly agentSessions: SqliteAgentSessions
  readonly hostedTokens: SqliteHostedTokens
  readonly keyedWrites: SqliteKeyedWrites
  readonly incidents: SqliteIncidents
  readonly revocations: Pick<Revocations, 'add' | 'has'>
  readonly persons: SqlitePersons
  readonly passkeys: SqlitePasskeys
  readonly operators: SqliteOperators
  readonly tabletPins: SqliteTabletPins
  readonly consoleSessions: SqliteConsoleSessions
  readonly steady: SqliteSteady
  readonly rules: SqliteRules
  readonly messages: SqliteMessages
  readonly webhooks: SqliteWebhooks
  readonly webhookDeliveries: SqliteDeliveries
  readonly push: SqlitePush
  readonly pushDeliveries: SqliteDeliveries
  readonly tariff: SqliteTariff
  readonly mode: SqliteMode
  readonly presence: SqlitePresence
  readonly calendars: SqliteCalendars
  readonly history: HistoryDb
  readonly serial: string
}

/**
 * Opens both databases, creates the home of a new folder, and keeps draining the outbox. The caller has locked the
 * folder.
 */
export async function openStores(options: GatewayOptions): Promise<Stores> {
  const { folder, clock, random, log } = options
  const found = stateAtStart(folder.coreDb)
  const wasWrong = await mendHomeId(options)
  await backUpBeforeUpdate({ ...options, program: programVersion() })
  await using opened = new AsyncDisposableStack()
  const thread = new CheckpointThread()
  closeWithTimeout(opened, 'checkpoints', () => thread.stop(), options)
  const { checkpoint } = thread
  const files = { ...filesOf(options), checkpoint, atRest: found }
  const disk = new Disk(diskOf(options))
  closeWithTimeout(opened, 'disk', () => disk.stop(), options)
  const core = opened.adopt(openCore(files), (store) => {
    store.close()
    if (!store.takesNoChanges) seal(folder.coreDb)
  })
  const house = new SqliteHouse(core)
  const rules = new SqliteRules(core)
  const serial = house.serial() ?? createHome({ core, house, rules }, random, options.newHome, clock.now())
  if (files.home === null) await writeHomeId(folder, serial)
  const history = opened.adopt(openHistory({ file: folder.historyDb, clock, random, log, checkpoint }), (store) =>
    store.close(),
  )
  const isTold = pathExists(folder.justRestored)
  const recorded = history.activity.newestOfOutbox()
  const older = acceptOlder(core, { recorded, backups: folder.backups, isReported: isTold, clock, log })
  for (const sentence of [wasWrong, older]) if (sentence !== null) recordForAdministrators(core, sentence, clock)
  removeLeftover(folder.justRestored)
  disk.protect(core, history)
  opened.defer(
    keepDraining(core, {
      history: history.activity,
      onDisk: () => history.file.synced(),
      clock,
      failed: (error, leftOut) =>
        log.error({ err: error, file: folder.historyDb, leftOut }, 'Activity waits: the history accepts no writes.'),
    }),
  )
  closeWithTimeout(opened, 'copies', keepCopies(core, files), options)
  opened.defer(keepSyncing(core, clock))
  const running = opened.move()
  const { revocations } = files
  return storesOver({ disk, core, house, rules, history, revocations, serial }, () => running.disposeAsync())
}

/** Writes a damaged file home-id again; returns the sentence for the activity then. */
async function mendHomeId({ folder, log }: GatewayOptions): Promise<string | null> {
  const was = readHomeId(folder)
  const home = was === null ? null : correctedHome({ file: folder.coreDb, backups: folder.backups }, was)
  if (home === null) return null
  await writeHomeId(folder, home)
  const what = 'The file home-id was damaged and is repaired. Check the disk.'
  log.error({ was, home, file: folder.homeId }, what)
  return what
}

/** Only for administrators: the sentence may name integrations and persons. */
function recordForAdministrators(core: CoreDb, what: string, clock: Clock): void {
  if (core.takesNoChanges) return
  core.change((record) => record(administrationEntry(clock, what, GATEWAY_CAUSE)))
}

/** All stores over the two open databases; `close` closes them. */
export function storesOver(
  opened: Pick<Stores, 'disk' | 'core' | 'house' | 'rules' | 'history' | 'revocations' | 'serial'>,
  close: () => Promise<void>,
): Stores {
  const { core } = opened
  return {
    ...opened,
    integrations: new SqliteIntegrations(core),
    credentials: new SqliteCredentials(core),
    agentRequests: new SqliteAgentRequests(core),
    agentSessions: new SqliteAgentSessions(core),
    hostedTokens: new SqliteHostedTokens(core),
    keyedWrites: new SqliteKeyedWrites(core),
    incidents: new SqliteIncidents(core),
    messages: new SqliteMessages(core),
    webhooks: new SqliteWebhooks(core),
    webhookDeliveries: new SqliteDeliveries(core, 'webhook'),
    push: new SqlitePush(core),
    pushDeliveries: new SqliteDeliveries(core, 'push'),
    persons: new SqlitePersons(core),
    passkeys: new SqlitePasskeys(core),
    operators: new SqliteOperators(core),
    tabletPins: new SqliteTabletPins(core),
    consoleSessions: new SqliteConsoleSessions(core),
    steady: new SqliteSteady(core),
    confirmations: new SqliteConfirmations(core),
    tariff: new SqliteTariff(core),
    mode: new SqliteMode(core),
    presence: new SqlitePresence(core),
    calendars: new SqliteCalendars(core),
    [Symbol.asyncDispose]: close,
  }
}

function diskOf({ folder, clock, log, restart }: GatewayOptions): DiskParts {
  return { folder: folder.path, clock, log, takesWrites: () => isWritable(folder.coreDb), restart }
}

function filesOf({ folder, clock, log, syncFile }: GatewayOptions): CoreFiles {
  const revocations = new Revocations(folder.revoked, log)
  const home = readHomeId(folder)
  const revisions = new RevisionMark(folder.revisions)
  const narrowed = new NarrowedAccess(folder.narrowed)
  return {
    ...{ file: folder.coreDb, backups: folder.backups, home, revocations, revisions, narrowed },
    ...{ clock, log, syncFile },
  }
}

/**
 * Retries the sync of a failed disk until the returned function ends it: otherwise committed changes would wait for the
 * next change.
 */
export function keepSyncing(core: Pick<CoreDb, 'disk' | 'onDisk'>, clock: Clock): () => void {
  return every(clock, SYNCED_AGAIN_MS, () => {
    if (core.disk.fails) void core.onDisk().catch(() => {})
  })
}

/** Moves core.db's recorded entries to the history, until the returned function ends it. */
export function keepDraining(core: CoreDb, parts: Omit<OutboxDrainParts, 'source'>): () => void {
  const outbox = new OutboxDrain({ ...parts, source: core })
  core.onOutbox = () => outbox.drain()
  outbox.drain()
  return () => {
    outbox.stop()
    core.onOutbox = () => {}
  }
}
