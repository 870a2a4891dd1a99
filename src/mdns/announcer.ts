import type { LanAddress } from '../lib/addresses.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import { type Conflict, ConflictWatch } from './conflict-watch.ts'
import type { Service } from './records.ts'
import { Responder } from './responder.ts'
import { loadSockets } from './socket.ts'
import type { MdnsSocket, OpenSocket } from './socket.ts'

export interface AnnouncerOptions extends Service {
  /** All LAN addresses; those that are not the home's are left out here. */
  readonly addresses: readonly LanAddress[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** For tests: another port and group than the protocol's, another way to open sockets. */
  readonly mdnsPort?: number
  readonly group?: string
  readonly loadSockets?: () => Promise<OpenSocket>
}

/** Whether the home's networks hear the announcement. */
export interface AnnouncementState {
  /** Networks on which the gateway cannot be announced, or does not hear its own announcement. */
  readonly silent: readonly { readonly interface: string; readonly address: string }[]
  /** Other machines that announce the gateway's name. */
  readonly conflicts: readonly Conflict[]
}

export interface Announcer {
  /** Announces from now on, or takes everything back. */
  setEnabled(enabled: boolean): void
  /** What is announced changed; what is left out stays. */
  update(change: Partial<Pick<AnnouncerOptions, 'addresses' | 'fingerprint' | 'port'>>): void
  state(): AnnouncementState
  /** Takes everything back; resolves when the goodbyes have left. */
  stop(): Promise<void>
}

const MDNS_PORT = 5353
const MDNS_GROUP = '224.0.0.251'

/** After a failure (no network yet, port taken) it is tried again, less and less often. */
export const RETRY_FIRST_MS = 5000
export const RETRY_LAST_MS = 60_000

/** A gateway that stops waits at most this long for its goodbyes to leave. */
const STOP_WAIT_MS = 1000

/** One network: an interface of the home with an IPv4 address. */
interface Network {
  socket: MdnsSocket | null
  responder: Responder | null
  address: string
  /** The interface's number when the socket was opened, or null where it is not known. */
  index: number | null
  addresses: readonly LanAddress[]
  /** The socket failed, or did not hear its own packets. */
  silent: boolean
  retryMs: number
  cancelRetry: () => void
}

/**
 * Announces the gateway as `_hm-api._tcp` on every network of the home (docs/discovery.md#why). Starts switched off.
 */
export function createAnnouncer(options: AnnouncerOptions): Announcer {
  return new NetworkAnnouncer(options)
}

class NetworkAnnouncer implements Announcer {
  readonly #options: AnnouncerOptions
  readonly #conflicts: ConflictWatch
  #service: Service
  #addresses: readonly LanAddress[]
  #enabled = false
  #loading: Promise<void> | null = null
  #open: OpenSocket | null = null
  readonly #networks = new Map<string, Network>()
  readonly #ending = new Set<Promise<void>>()
  constructor(options: AnnouncerOptions) {
    this.#options = options
    this.#conflicts = new ConflictWatch(options.clock, options.log)
    this.#service = options
    this.#addresses = options.addresses
  }

  setEnabled(enabled: boolean): void {
    this.#enabled = enabled
    if (enabled && this.#open === null) this.#loading ??= this.#load()
    this.#sync()
  }

  update(change: Partial<Pick<AnnouncerOptions, 'addresses' | 'fingerprint' | 'port'>>): void {
    this.#addresses = change.addresses ?? this.#addresses
    this.#service = {
      ...this.#service,
      port: change.port ?? this.#service.port,
      fingerprint: change.fingerprint ?? this.#service.fingerprint,
    }
    this.#sync()
  }

  state(): AnnouncementState {
    return {
      silent: [...this.#networks]
        .filter(([, network]) => network.silent)
        .map(([name, { address }]) => ({ interface: name, address })),
      conflicts: this.#enabled ? this.#conflicts.current() : [],
    }
  }

  async stop(): Promise<void> {
    this.#enabled = false
    await this.#loading
    this.#sync()
    let cancel = (): void => {}
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(STOP_WAIT_MS, resolve)
    })
    await Promise.race([Promise.all(this.#ending), late])
    cancel()
  }

  async #load(): Promise<void> {
    try {
      this.#open = await (this.#options.loadSockets ?? loadSockets)()
      this.#sync()
    } catch (error) {
      this.#options.log.error({ err: error }, 'The announcement on the home network cannot be started.')
    }
  }

  /** Opens and closes networks to match the addresses and whether announcing is enabled. */
  #sync(): void {
    if (this.#open === null) return
    this.#conflicts.machine(new Set(this.#addresses.map((one) => one.address)))
    const wanted = this.#enabled ? byInterface(this.#addresses) : new Map<string, readonly LanAddress[]>()
    for (const [name, network] of this.#networks) {
      const next = wanted.get(name)
      // The socket is tied to the interface and its first IPv4 address.
      // A goodbye only where the network itself is gone: otherwise clients would drop a service that is announced again
      // at once.
      if (next === undefined || isElsewhere(network, next)) this.#close(name, network, next === undefined)
    }
    for (const [name, addresses] of wanted) {
      const network = this.#networks.get(name)
      if (network === undefined) this.#add(name, addresses)
      else {
        network.addresses = addresses
        network.index ??= indexOf(addresses)
        network.responder?.update(this.#service, addresses)
      }
    }
  }

  #add(name: string, addresses: readonly LanAddress[]): void {
    const network: Network = {
      socket: null,
      responder: null,
      address: ipv4Of(addresses) ?? '',
      index: indexOf(addresses),
      addresses,
      silent: false,
      retryMs: RETRY_FIRST_MS,
      cancelRetry: () => {},
    }
    this.#networks.set(name, network)
    this.#begin(name, network)
  }

  #begin(name: string, network: Network): void {
    const { clock, random, mdnsPort: port = MDNS_PORT, group = MDNS_GROUP } = this.#options
    if (this.#open === null) return
    let responder: Responder | null = null
    try {
      const socket = this.#open(
        { address: network.address, port, group },
        {
          onPacket: (packet, from) => responder?.hear(packet, from),
          onTrouble: (error) => this.#troubled(name, network, socket, error),
        },
      )
      responder = new Responder({
        socket,
        port,
        service: this.#service,
        addresses: network.addresses,
        conflicts: this.#conflicts,
        clock,
        random,
        onAnnounced: () => this.#announced(name, network),
        onEcho: () => this.#echoed(name, network),
        onUnheard: () => this.#unheard(name, network),
      })
      network.socket = socket
      network.responder = responder
      responder.start()
    } catch (error) {
      this.#troubled(name, network, null, error)
    }
  }

  #announced(name: string, network: Network): void {
    network.retryMs = RETRY_FIRST_MS
    this.#options.log.info({ interface: name, address: network.address }, 'The gateway is announced on this network.')
  }

  /** The network carries the gateway's packets. */
  #echoed(name: string, network: Network): void {
    if (!network.silent) return
    network.silent = false
    this.#options.log.info({ interface: name }, 'The gateway hears its announcement on this network again.')
  }

  /** The system took the group away from the socket, for example with an address that came back. */
  #unheard(name: string, network: Network): void {
    if (!network.silent) {
      this.#options.log.warn(
        { interface: name },
        'The gateway does not hear its own announcement on this network; it announces itself anew.',
      )
    }
    network.silent = true
    // Not before the old socket is closed: it leaves the group for the whole interface, the new socket included, when
    // the interface has come back with the same number.
    void this.#release(network, false).then(() => {
      if (this.#networks.get(name) === network) this.#begin(name, network)
    })
  }

  /** The network is not there yet, or the port is taken: logged once, tried again later. */
  #troubled(name: string, network: Network, socket: MdnsSocket | null, error: unknown): void {
    if (this.#networks.get(name) !== network || network.socket !== socket) return
    if (!network.silent) {
      this.#options.log.warn(
        { err: error, interface: name },
        'The gateway cannot be announced on this network; it tries again.',
      )
    }
    network.silent = true
    void this.#release(network, false)
    network.cancelRetry = this.#options.clock.after(network.retryMs, () => this.#begin(name, network))
    network.retryMs = Math.min(network.retryMs * 2, RETRY_LAST_MS)
  }

  #close(name: string, network: Network, polite: boolean): void {
    this.#networks.delete(name)
    network.cancelRetry()
    void this.#release(network, polite)
  }

  #release(network: Network, polite: boolean): Promise<void> {
    const { socket, responder } = network
    network.socket = null
    network.responder = null
    if (socket === null) return Promise.resolve()
    const ended = (responder === null ? Promise.resolve() : responder.end(polite)).then(() => socket.close())
    const tracked: Promise<void> = ended
      .catch((error: unknown) => this.#options.log.debug({ err: error }, 'A multicast socket did not close cleanly.'))
      .finally(() => this.#ending.delete(tracked))
    this.#ending.add(tracked)
    return tracked
  }
}

/** The home's interfaces that have an IPv4 address, over which the protocol speaks, with all of their addresses. */
function byInterface(addresses: readonly LanAddress[]): Map<string, readonly LanAddress[]> {
  const home = Map.groupBy(
    addresses.filter((one) => one.home),
    (one) => one.interface,
  )
  return new Map([...home].filter(([, own]) => ipv4Of(own) !== null))
}

function ipv4Of(addresses: readonly LanAddress[]): string | null {
  return addresses.find((one) => one.family === 4)?.address ?? null
}

function indexOf(addresses: readonly LanAddress[]): number | null {
  return addresses.find(({ index }) => index !== undefined)?.index ?? null
}

/** The interface has another address now, or is another one under the same name. */
function isElsewhere({ address, index }: Network, addresses: readonly LanAddress[]): boolean {
  const now = indexOf(addresses)
  return ipv4Of(addresses) !== address || (index !== null && now !== null && now !== index)
}
