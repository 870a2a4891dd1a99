import { consoleAdminHandlers } from '../../src/admin/console.ts'
import { AdminDispatcher } from '../../src/admin/dispatch.ts'
import { SignIn } from '../../src/auth/persons/sign-in.ts'
import { gatewayAdminHandlers } from '../../src/admin/gateway.ts'
import { operatorAdminHandlers } from '../../src/admin/credentials.ts'
import type { backupAdminHandlers } from '../../src/operations/backup-requests.ts'
import { relayAdminHandlers } from '../../src/admin/relay.ts'
import { backups, brought } from '../../src/admin/contract/backups.ts'
import { Refusal } from '../../src/api/errors.ts'
import type { Dispatcher } from '../../src/api/dispatch.ts'
import { type AccessParts, openAccess } from '../../src/gateway/access.ts'
import { homeAdministration } from '../../src/gateway/administration.ts'
import { type ApiParts, openApi } from '../../src/gateway/api.ts'
import { openPush } from '../../src/gateway/messages.ts'
import { type HomeBus, type HomeParts, hmhcBus, openHome } from '../../src/gateway/home.ts'
import type { GatewayOptions } from '../../src/gateway/options.ts'
import { SimulatedLine } from '../../src/gateway/simulated-home.ts'
import type { Random } from '../../src/lib/random.ts'
import { pathsIn } from '../../src/settings/data-folder.ts'
import { readSettings } from '../../src/settings/settings.ts'
import type { SimulatedHouse } from '../../src/sim/simulated-house.ts'
import { StreamServer } from '../../src/ws/stream-server.ts'
import type { SimulatedClock } from './clock.ts'
import { type SyncMs, openSimulatedStores, type SimulatedStores } from './stores.ts'
import { emptyHouse, type SimulatedHome } from './house.ts'
import type { SimulatedLog } from './journal.ts'
import type { PlantedDefect } from './planted-defect.ts'

/** Address of a gateway without a network. */
const NOWHERE = { addresses: [], fingerprint: '' }
const UNREACHED = {
  place: () => NOWHERE,
  addresses: () => [],
  streamsOf: () => 0,
  makeBackup: () => Promise.reject(new Refusal('validation', { message: 'The simulator makes no backups.' })),
}

export interface LifeParts {
  readonly folder: string
  /** The home's serial; null at the first start. */
  readonly serial: string | null
  readonly clock: SimulatedClock
  readonly random: Random
  readonly log: SimulatedLog
  readonly house: SimulatedHouse
  readonly home: SimulatedHome
  readonly defect: PlantedDefect
  readonly syncMs: SyncMs
  /** Resolves when no work is pending. */
  readonly settle: () => Promise<void>
}

/** One life of the gateway from a start to a stop or crash: its real parts without the network. */
export interface GatewayLife {
  readonly folder: string
  readonly files: SimulatedStores
  readonly home: HomeParts
  readonly access: AccessParts
  readonly api: ApiParts
  readonly dispatcher: Dispatcher
  readonly admin: AdminDispatcher
  readonly hub: StreamServer
  /** Stores everything and closes all parts. */
  readonly stop: () => Promise<void>
  /** Cancels all its timers. */
  readonly kill: () => void
  /** Closes its files after `kill`. */
  readonly closeFiles: () => void
}

const TRUSTED_CLOCK = { isClockDoubted: () => false }

export function openLife(parts: LifeParts): GatewayLife {
  const { folder, random, log, defect } = parts
  const { clock: hands, kill } = parts.clock.forGateway()
  const clock = defect.clock?.(hands) ?? hands
  const options = optionsOf(parts, clock)
  const files = openSimulatedStores(parts, options)
  const stores = defect.stores?.(files.stores, clock) ?? files.stores
  const stopKeeping = files.keep(stores.core)
  const access = openAccess(options, stores)
  const opening = defect.opening?.(access.opening) ?? access.opening
  const withDefect = (bus: HomeBus): HomeBus => defect.bus?.(bus) ?? bus
  const ground = { ...access, ...TRUSTED_CLOCK, opening }
  const opened = openHome(options, stores, ground, (its, homes) => withDefect(hmhcBus(its, homes)))
  const home = defect.home?.(opened) ?? opened
  const api = openApi(options, { stores, home, access, ca: () => ({ pem: '', fingerprint: '' }) })
  const dispatcher = defect.dispatcher?.(api.dispatcher, stores) ?? api.dispatcher
  const hub = new StreamServer({
    dispatcher,
    authenticator: access.authenticator,
    integrations: stores.integrations,
    accessChanges: access.changes,
    views: defect.views?.(api.views) ?? api.views,
    ...{ live: home.live, rules: home.rules, events: home.events, notices: home.messages.notices },
    clock,
    log,
  })
  const { push } = openPush(options, { stores, home, access, views: api.views })
  const { handlers } = homeAdministration(options, { stores, home, access, api, push, ...UNREACHED })
  const people = consoleAdminHandlers({
    ...access,
    clock,
    gateway: stores.serial,
    home: () => home.house.info.name,
    ...{ house: home.house, presences: home.presences, rules: home.rules },
    signIn: new SignIn({ ...access, clock, isAtHome: () => true, setupCode: null, failed: () => {} }),
    addresses: () => [],
  })
  const networkHandlers = withoutNetwork(stores.serial, access.failures)
  const admin = new AdminDispatcher(
    { ...handlers, ...people, ...operatorAdminHandlers(access), ...networkHandlers },
    log,
    random,
  )
  const stop = async (): Promise<void> => {
    // The order and waits of src/gateway/gateway.ts.
    await using closing = new AsyncDisposableStack()
    closing.defer(kill)
    closing.defer(files.close)
    closing.defer(stopKeeping)
    closing.defer(parts.settle)
    closing.use(access)
    closing.use(opened)
    closing.defer(() => hub.close())
  }
  const closeFiles = (): void => {
    stopKeeping()
    files.close()
  }
  return { folder, files, home, access, api, dispatcher, admin, hub, stop, kill, closeFiles }
}

function optionsOf({ folder, random, log, house, home }: LifeParts, clock: GatewayOptions['clock']): GatewayOptions {
  return {
    settings: readSettings({ HM_RATE_LIMIT: 'off', HM_LOG_LEVEL: 'silent', HM_HMHC: 'tcp://localhost:1' }, []),
    folder: pathsIn(folder),
    clock,
    random,
    log,
    openPort: () => new SimulatedLine(house),
    newHome: {
      house: () => (home.lateMs === null ? home.content : emptyHouse(home.content)),
      rules: () => (home.lateMs === null ? home.rules : { automations: [], schedules: [] }),
      integration: null,
      past: null,
    },
    defaultZone: 'UTC',
    announce: false,
  }
}

const NOT_SIMULATED = (): never => {
  throw new Error('The simulator has no network.')
}
const BACKUPS = Object.fromEntries(
  Object.keys({ ...backups, ...brought }).map((name) => [name, NOT_SIMULATED]),
) as unknown as ReturnType<typeof backupAdminHandlers>

/** Handlers of requests about the gateway itself, which no run makes. */
function withoutNetwork(
  gateway: string,
  failures: AccessParts['failures'],
): ReturnType<typeof gatewayAdminHandlers> &
  ReturnType<typeof relayAdminHandlers> &
  ReturnType<typeof backupAdminHandlers> {
  const none = NOT_SIMULATED
  const relay = { status: none, connect: none, disconnect: none, link: none, unlink: none, passthrough: none }
  return {
    ...relayAdminHandlers({ link: relay, record: none }),
    ...BACKUPS,
    ...gatewayAdminHandlers({
      gateway,
      ca: none,
      leaf: none,
      renew: none,
      regenerateCa: none,
      record: none,
      failures,
      status: none,
      release: none,
      metrics: none,
      log: { run: '', list: none, level: none, setLevel: none },
      acknowledge: none,
      backup: none,
    }),
  }
}
