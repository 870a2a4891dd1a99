import type { Server } from 'node:http'
import { accessHandlers } from '../api/admin/access.ts'
import { agentAdminHandlers, type AgentParts } from '../api/admin/agents.ts'
import type { AdminContract } from '../api/admin/contract/index.ts'
import { AdminDispatcher, type AdminHandlersOf } from '../api/admin/dispatch.ts'
import { AdminEvents } from '../api/admin/events.ts'
import { gatewayAdminHandlers } from '../api/admin/gateway.ts'
import { houseAdminHandlers } from '../api/admin/house.ts'
import { intentAdminHandlers } from '../api/admin/intents.ts'
import { recordAdminHandlers } from '../api/admin/records.ts'
import { ruleAdminHandlers } from '../api/admin/rules.ts'
import type { Cause } from '../home/model/cause.ts'
import { errorCode } from '../lib/files.ts'
import { closeServer, serveAdmin } from '../http/admin-server.ts'
import { closesInTime } from './closing.ts'
import { writeHistoryFile } from './history-file.ts'
import type { Network, NetworkParts } from './network.ts'
import type { GatewayOptions } from './options.ts'
import { gatewayStatus } from './status.ts'
import type { Stores } from './stores.ts'

export interface Administration extends AsyncDisposable {
  readonly events: AdminEvents
}

interface Ground extends NetworkParts {
  readonly network: Network
}

/** The administrators' API over the socket file in the data folder, for the command line. */
export async function openAdministration(options: GatewayOptions, ground: Ground): Promise<Administration> {
  const { stores, tls, access } = ground
  const startedAt = options.clock.now()
  const { agents, handlers } = homeAdministration(options, { ...ground, fingerprint: () => tls.ca.fingerprint })
  const events = new AdminEvents({ ...agents, events: access.events })
  const gateway = gatewayAdminHandlers({
    gateway: stores.serial,
    ca: () => tls.ca,
    leaf: () => tls.leaf(),
    renew: async () => void (await tls.renew('an administrator asked')),
    regenerateCa: async () => void (await tls.regenerateCa()),
    failures: access.failures,
    status: () => gatewayStatus(options, { ...ground, startedAt }),
    acknowledge: (upTo, cause) => acknowledged(options, stores, upTo, cause),
    backup: (file) => stores.core.backup(file),
  })
  const dispatcher = new AdminDispatcher({ ...handlers, ...gateway }, options.log, options.random)
  const server = await served(options, dispatcher, events)
  await using opened = new AsyncDisposableStack()
  if (server) closesInTime(opened, 'administration', () => closeServer(server), options)
  const running = opened.move()
  return { events, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

interface HomeGround extends Omit<NetworkParts, 'tls' | 'addresses'> {
  /** The CA's. */
  readonly fingerprint: () => string
}

/** What administrators can ask of the home: everything but what concerns the gateway itself. */
export function homeAdministration(
  { defaultZone }: Pick<GatewayOptions, 'defaultZone'>,
  { stores, home, access, api, fingerprint }: HomeGround,
): { readonly agents: AgentParts; readonly handlers: Omit<AdminHandlersOf<AdminContract>, keyof GatewayHandlers> } {
  const { pairing, confirmations, integrations, credentials, lastUsed, opening } = access
  const { house, live, bus, rules, settings, tariffs } = home
  const agents: AgentParts = { pairing, confirmations, integrations, credentials, lastUsed, rules, house, fingerprint }
  const handlers = {
    ...accessHandlers({ integrations, credentials, lastUsed, house, rules, fingerprint }),
    ...agentAdminHandlers(agents),
    ...houseAdminHandlers({ house, live, bus, rules, opening, integrations, defaultZone }),
    ...intentAdminHandlers({ house, settings, unknown: api.unknownSettings }),
    ...ruleAdminHandlers({ house, rules, integrations, credentials }),
    ...recordAdminHandlers({
      tariffs,
      exportHistory: (table, from, to, file) => writeHistoryFile(stores.history, table, from, to, file),
    }),
  }
  return { agents, handlers }
}

type GatewayHandlers = ReturnType<typeof gatewayAdminHandlers>

function acknowledged({ clock }: GatewayOptions, { core, incidents }: Stores, upTo: number, cause: Cause): number {
  const count = incidents.list().filter(({ id }) => id <= upTo).length
  if (count === 0) return 0
  // As all entries of an integration that there is not, for administrators alone: an incident may name what is hidden.
  const subject = { kind: 'integration', id: 'any' } as const
  core.change((record) => {
    incidents.forget(upTo)
    record({ at: clock.now(), kind: 'access', subject, what: `${count} incidents acknowledged`, cause })
  })
  return count
}

/** Null where the disk takes no socket file: the home is served all the same. */
async function served(
  { folder, log }: GatewayOptions,
  dispatcher: AdminDispatcher,
  events: AdminEvents,
): Promise<Server | null> {
  try {
    return await serveAdmin(folder.adminSocket, dispatcher, events)
  } catch (error) {
    if (errorCode(error) !== 'EROFS' && errorCode(error) !== 'ENOSPC') throw error
    log.error({ err: error }, 'The command line cannot reach this gateway: the disk takes no socket file.')
    return null
  }
}
