import { administrationEntry } from '../auth/credentials/pending-revocations.ts'
import { accessHandlers } from '../admin/access.ts'
import { activityAdminHandlers, type ActivityAdminParts, activityTopic } from '../admin/activity.ts'
import { agentAdminHandlers, type AgentParts } from '../admin/agents.ts'
import { backupAdminHandlers, downloadBackup, makeBackup } from '../operations/backup-requests.ts'
import { consoleAdminHandlers } from '../admin/console.ts'
import type { AdminContract } from '../admin/contract/index.ts'
import { AdminDispatcher, type AdminHandlersOf } from '../admin/dispatch.ts'
import { accessTopic, AdminEvents, statusTopic } from '../admin/events.ts'
import { calendarAdminHandlers } from '../admin/calendars.ts'
import { modeAdminHandlers } from '../admin/modes.ts'
import { presenceAdminHandlers } from '../admin/presence.ts'
import { deviceAdminHandlers, intentAdminHandlers } from '../admin/devices.ts'
import { energyAdminHandlers, recordAdminHandlers } from '../admin/records.ts'
import { gatewayAdminHandlers } from '../admin/gateway.ts'
import { houseAdminHandlers, type HouseParts } from '../admin/house.ts'
import { readLongFile } from './long-home-file.ts'
import { messageAdminHandlers, messageTopic } from '../admin/messages.ts'
import { webhookAdminHandlers } from '../admin/webhooks.ts'
import { pushAdminHandlers } from '../admin/push.ts'
import { operatorAdminHandlers } from '../admin/credentials.ts'
import { watchRecordEnds } from '../admin/record-ends.ts'
import { tabletHandlers } from '../admin/tablets.ts'
import { relayAdminHandlers } from '../admin/relay.ts'
import { replaceAdminHandlers } from '../admin/replace.ts'
import { ruleAdminHandlers } from '../admin/rules.ts'
import type { StatusView } from '../admin/contract/gateway.ts'
import type { Cause } from '../home/model/events.ts'
import { consoleAddresses } from './console.ts'
import type { GatewayPlace } from '../lib/connection-code.ts'
import { openAdminSocket } from './admin-socket.ts'
import type { BackupKeeping } from './backups.ts'
import { writeHistoryFile } from '../operations/history-export.ts'
import { openLogbook } from '../operations/logbook.ts'
import { gatewayMetrics, LoopDelay } from '../operations/metrics.ts'
import type { WebPush } from '../home/messages/web-push.ts'
import type { Network, NetworkParts } from './network.ts'
import type { GatewayOptions } from './options.ts'
import { type RelayAccess, recordInActivity } from './relay.ts'
import { TroubleMessages } from '../operations/trouble-messages.ts'
import { gatewayStatus } from '../operations/status.ts'
import { releaseOf } from '../operations/release.ts'

export interface Administration extends AsyncDisposable {
  readonly events: AdminEvents
  /** The socket file, or null if no disk accepts one. */
  readonly socket: string | null
}

interface Ground extends NetworkParts {
  readonly network: Network
  readonly relay: RelayAccess
  readonly keeping: BackupKeeping
  readonly push: WebPush
  /** Addresses of the gateway for clients. */
  readonly place: () => GatewayPlace
}

/** Serves the administrators' API over a socket file, for the command line. */
export async function openAdministration(options: GatewayOptions, ground: Ground): Promise<Administration> {
  const { stores, access } = ground
  const startedAt = options.clock.monotonic()
  let socket: string | null = null
  const loop = new LoopDelay(options.clock)
  const record = (what: string, cause: Cause): void => recordInActivity(options, stores, what, cause)
  const backupParts = { ...options, ...ground.keeping, record }
  const consolePlaces = (): readonly string[] => consoleAddresses(options.settings, placesOf(ground))
  const { agents, log, handlers } = homeAdministration(options, {
    ...ground,
    addresses: consolePlaces,
    makeBackup: async (by) => (await makeBackup(backupParts, by)).backup.name,
    streamsOf: (link) => ground.network.stream.countOf(link),
  })
  const events = new AdminEvents({ ...agents, events: access.events })
  const status = (): StatusView =>
    gatewayStatus({
      ...options,
      ...ground,
      host: options.settings.host,
      backupState: () => ground.keeping.backups.state(),
      startedAt,
      socket,
    })
  const metrics = gatewayMetrics({ ...options, ...ground, status, loop })
  const gateway = gatewayAdministration(options, ground, { record, status, metrics })
  const people = consoleAdminHandlers({
    ...access,
    clock: options.clock,
    gateway: stores.serial,
    home: () => ground.home.house.info.name,
    presences: ground.home.presences,
    rules: ground.home.rules,
    house: ground.home.house,
    signIn: ground.console.signIn,
    addresses: consolePlaces,
  })
  const more = { ...backupAdminHandlers(backupParts), ...relayAdminHandlers({ link: ground.relay.link, record }) }
  const all = { ...handlers, ...gateway, ...more, ...people, ...operatorAdminHandlers(access) }
  const dispatcher = new AdminDispatcher(all, options.log, options.random)
  const served = await openAdminSocket(options, dispatcher, events)
  socket = served.path
  const topics = {
    access: accessTopic(events, access.changes),
    activity: activityTopic(log),
    messages: messageTopic(ground.home),
    status: statusTopic({ ...options, events: ground.home.events, status }),
  }
  ground.console.serve(dispatcher, topics, {
    open: (name, cause) => downloadBackup(backupParts, name, cause),
    refusal: (error) => dispatcher.failed(error, 'GET'),
  })
  const stopWatching = watching(options, ground, status)
  const close = async (): Promise<void> => {
    stopWatching()
    loop[Symbol.dispose]()
    await served[Symbol.asyncDispose]()
  }
  return { events, socket, [Symbol.asyncDispose]: close }
}

/** Tells administrators of trouble, and watches the hours and ends of integrations, until the function is called. */
function watching(
  { clock, log }: GatewayOptions,
  { home, access, stores: { core: work } }: Ground,
  status: () => StatusView,
): () => void {
  const { house, messages, events } = home
  const nameOf = (unit: string): string => house.units.get(unit)?.name ?? unit
  const trouble = new TroubleMessages({ clock, messages, status, nameOf, events, access: access.events })
  const stop = watchRecordEnds({ ...access, openers: home.rules.openers, work, clock, log })
  return () => {
    trouble.stop()
    stop()
  }
}

/** The handlers for the gateway's own certificates, status and log. */
function gatewayAdministration(
  options: GatewayOptions,
  { stores, tls, access }: Ground,
  shared: Pick<Parameters<typeof gatewayAdminHandlers>[0], 'record' | 'status' | 'metrics'>,
): GatewayHandlers {
  return gatewayAdminHandlers({
    ...shared,
    gateway: stores.serial,
    ca: () => tls.ca,
    leaf: () => tls.leaf(),
    renew: async (ready) => void (await tls.renew('an administrator requested it', ready)),
    regenerateCa: async (ready) => void (await tls.regenerateCa(ready)),
    failures: access.failures,
    release: () => releaseOf(stores),
    acknowledge: (upTo, cause) => recordAcknowledged(options, { stores, access }, upTo, cause),
    log: options.logbook ?? openLogbook('silent', () => {}).logbook,
    backup: (file) => stores.core.backup(file),
  })
}

function placesOf({ network, stores, addresses }: Ground): Parameters<typeof consoleAddresses>[1] {
  return { port: network.port, serial: stores.serial, addresses: addresses.texts() }
}

interface HomeGround extends Omit<NetworkParts, 'tls' | 'addresses' | 'console'> {
  /** Addresses of the gateway for clients. */
  readonly place: () => GatewayPlace
  readonly makeBackup: HouseParts['makeBackup']
  /** Addresses of the console. */
  readonly addresses: () => readonly string[]
  readonly push: WebPush
  /** Number of open streams of the credential with this link. */
  readonly streamsOf: (link: string) => number
}

/** The administrators' handlers about the home, without those about the gateway itself. */
export function homeAdministration(
  { defaultZone, clock, log: logged }: Pick<GatewayOptions, 'defaultZone' | 'clock' | 'log'>,
  { stores, home, access, api, push, place, addresses, streamsOf, makeBackup }: HomeGround,
): {
  readonly agents: AgentParts
  readonly log: ActivityAdminParts
  readonly handlers: Omit<
    AdminHandlersOf<AdminContract>,
    keyof GatewayHandlers | keyof BackupHandlers | keyof RelayHandlers | keyof PeopleHandlers | keyof OperatorHandlers
  >
} {
  const { pairing, confirmations, integrations, credentials, unstored, lastUsed, opening, persons, sessions } = access
  const { house, live, bus, rules, settings, tariffs } = home
  const { times } = access
  const branchesOf = (link: string): number => stores.hostedTokens.unused(link)
  const known = { integrations, credentials, unstored, lastUsed, times, rules, house, place, streamsOf, branchesOf }
  const agents: AgentParts = { ...known, pairing, confirmations, clock }
  const log = { activity: stores.history.activity, house, rules, integrations, removed: home.removed, clock }
  const accessParts = { ...known, live, persons, sessions, gateway: stores.serial, revisions: stores.house.revisions }
  const handlers = {
    ...accessHandlers(accessParts),
    ...tabletHandlers({ ...access, ...accessParts, addresses, clock, work: stores.core }),
    ...agentAdminHandlers(agents),
    ...houseAdminHandlers({
      house,
      live,
      bus,
      rules,
      opening,
      integrations,
      past: { tariffs, energy: home.energy, activity: stores.history.activity },
      readFile: (text) => readLongFile(text, defaultZone),
      makeBackup,
    }),
    ...replaceAdminHandlers({ house, bus, live, rules, settings, integrations, confirmations, log: logged }),
    ...modeAdminHandlers({ house, mode: home.mode, rules }),
    ...presenceAdminHandlers({ ...home, ...access, activity: stores.history.activity, clock }),
    ...calendarAdminHandlers({ house, calendars: home.calendars, rules, clock }),
    ...deviceAdminHandlers({ house, live, clock, rules, integrations }),
    ...intentAdminHandlers({ house, settings, unknown: api.unknownSettings }),
    ...ruleAdminHandlers({ house, rules, integrations, credentials, clock }),
    ...activityAdminHandlers(log),
    ...messageAdminHandlers(home),
    ...webhookAdminHandlers(home),
    ...pushAdminHandlers({ push, ...access }),
    ...energyAdminHandlers(home),
    ...recordAdminHandlers({
      tariffs,
      exportHistory: (table, from, to, file) => writeHistoryFile(stores.history, table, from, to, file),
    }),
  }
  return { agents, log, handlers }
}

type GatewayHandlers = ReturnType<typeof gatewayAdminHandlers>
type BackupHandlers = ReturnType<typeof backupAdminHandlers>
type RelayHandlers = ReturnType<typeof relayAdminHandlers>
type PeopleHandlers = ReturnType<typeof consoleAdminHandlers>
type OperatorHandlers = ReturnType<typeof operatorAdminHandlers>

function recordAcknowledged(
  { clock }: GatewayOptions,
  { stores: { core, incidents }, access }: Pick<Ground, 'stores' | 'access'>,
  upTo: number,
  cause: Cause,
): number {
  const count = incidents.list().filter(({ id }) => id <= upTo).length
  if (count === 0) return 0
  const doubted = incidents.doubted(upTo)
  // Recorded under an integration that does not exist, so that only administrators see it: an incident may name hidden
  // things.
  core.change((record) => {
    incidents.forget(upTo)
    record(administrationEntry(clock, `${count} incidents acknowledged`, cause))
  })
  for (const integration of doubted) access.changes.emit({ integration, deleted: false })
  return count
}
