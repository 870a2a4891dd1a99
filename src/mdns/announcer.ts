import type { LanAddress } from '../lib/lan-addresses.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import { type Conflict, ConflictWatch } from './conflict-watch.ts'
import type { Service } from './dns-records.ts'
import { Responder } from './responder.ts'
import { loadSockets } from './socket.ts'
import type { MdnsSocket, OpenSocket } from './socket.ts'

export interface AnnouncerOptions extends Service {
  /** All LAN addresses; addresses outside the home network are ignored here. */
  readonly addresses: readonly LanAddress[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Other port, group and sockets for tests. */
  readonly mdnsPort?: number
  readonly group?: string
  readonly loadSockets?: () => Promise<OpenSocket>
}

/** Reachability of the announcement in the home's networks. */
export interface AnnouncementState {
  /** Networks on which announcing fails, or the gateway does not receive its own packets. */
  readonly silent: readonly { readonly interface: string; readonly address: string }[]
  /** Other machines that announce the gateway's name. */
  readonly conflicts: readonly Conflict[]
}

export interface Announcer {
  /** Starts announcing, or withdraws all announcements. */
  setEnabled(enabled: boolean): void
  /** Changes the announced service; omitted fields stay. */
  update(change: Partial<Pick<AnnouncerOptions, 'addresses' | 'fingerprint' | 'port'>>): void
  state(): AnnouncementState
  /** Withdraws all announcements; resolves when the goodbyes are sent. */
  stop(): Promise<void>
}

const MDNS_PORT = 5353
const MDNS_GROUP = '224.0.0.251'

/** Growing retry intervals after a failure (no network yet, port in use). */
export const RETRY_FIRST_MS = 5000
export const RETRY_LAST_MS = 60_000

/** Longest wait of a stopping gateway for its goodbyes. */
const STOP_WAIT_MS = 1000

/** One network: an interface of the home with an IPv4 address. */
interface Network {
  socket: MdnsSocket | null
  responder: Responder | null
  address: string
  /** Number of the interface when the socket was opened, or null if unknown. */
  index: number | null
  addresses: readonly LanAddress[]
  /** True if the socket failed, or did not receive its own packets. */
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
    this.#conflicts.machine(new Set(this.#addresses.map((address) => address.address)))
    const networks = this.#enabled ? byInterface(this.#addresses) : new Map<string, readonly LanAddress[]>()
    for (const [name, network] of this.#networks) {
      const next = networks.get(name)
      // The socket is tied to the interface and its first IPv4 address. Sends a goodbye only if the network itself
      // disappeared. Otherwise clients would drop a service that is announced again at once.
      if (next === undefined || isElsewhere(network, next)) this.#close(name, network, next === undefined)
    }
    for (const [name, addresses] of networks) {
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

  /** Called when the network carries the gateway's packets. */
  #echoed(name: string, network: Network): void {
    if (!network.silent) return
    network.silent = false
    this.#options.log.info({ interface: name }, 'The gateway hears its announcement on this network again.')
  }

  /** Called when the system removed the socket from the group, for example with a returning address. */
  #unheard(name: string, network: Network): void {
    if (!network.silent) {
      this.#options.log.warn(
        { interface: name },
        'The gateway does not hear its own announcement on this network; it announces itself anew.',
      )
    }
    network.silent = true
    // Opened only after the old socket is closed. Closing leaves the group for the whole interface, including a new
    // socket on a returning interface with the same number.
    void this.#release(network, false).then(() => {
      if (this.#networks.get(name) === network) this.#begin(name, network)
    })
  }

  /** Logs a missing network or a port in use once, and retries later. */
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

/** The home's interfaces with an IPv4 address, which the protocol uses, with all of their addresses. */
function byInterface(addresses: readonly LanAddress[]): Map<string, readonly LanAddress[]> {
  const home = Map.groupBy(
    addresses.filter((address) => address.home),
    (address) => address.interface,
  )
  return new Map([...home].filter(([, own]) => ipv4Of(own) !== null))
}

function ipv4Of(addresses: readonly LanAddress[]): string | null {
  return addresses.find((address) => address.family === 4)?.address ?? null
}

function indexOf(addresses: readonly LanAddress[]): number | null {
  return addresses.find(({ index }) => index !== undefined)?.index ?? null
}

/** True if the interface changed its address, or is a different one with the same name. */
function isElsewhere({ address, index }: Network, addresses: readonly LanAddress[]): boolean {
  const now = indexOf(addresses)
  return ipv4Of(addresses) !== address || (index !== null && now !== null && now !== index)
}
