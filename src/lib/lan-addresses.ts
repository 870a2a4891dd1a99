import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { NetworkInterfaceInfo } from 'node:os'
import { every } from './clock.ts'
import type { Clock } from './clock.ts'
import { Emitter } from './emitter.ts'
import type { Log } from './log.ts'
import { plainAddress } from './network-of.ts'

/** An address at which this machine is reachable from its network. */
export interface LanAddress {
  readonly interface: string
  readonly family: 4 | 6
  readonly address: string
  /** The address with its prefix length, `192.168.1.20/24`. */
  readonly cidr: string
  /**
   * False on bridges of containers, tunnels and the like: reachable, but not announced, because they are not the home's
   * network.
   */
  readonly home: boolean
  /**
   * The system's interface index, if known: an interface that was removed and returns has a new index under the same
   * name.
   */
  readonly index?: number
}

export type InterfaceList = () => NodeJS.Dict<NetworkInterfaceInfo[]>

export interface AddressWatcherOptions {
  readonly clock: Clock
  readonly log: Log
  readonly intervalMs?: number
  readonly list?: InterfaceList
}

export interface AddressWatcher {
  /** The addresses as last read. */
  current(): readonly LanAddress[]
  /** The unique addresses as bare text. */
  texts(): readonly string[]
  /** Calls the listener at every change, in the order of adding. The returned function removes it. */
  onChange(listener: (addresses: readonly LanAddress[]) => void): () => void
  /** Reads the addresses now instead of at the next interval. */
  check(): void
  stop(): void
}

/** Address changes must be noticed within 10 s; a check costs about 0.1 ms. */
export const ADDRESS_CHECK_MS = 5000

/** More addresses than any home machine has; certificates and announcements leave out the rest. */
export const ADDRESSES_MAX = 32

/** Interfaces of containers, virtual machines, tunnels and private networks. */
const NOT_HOME =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|cali|podman|lxc|lxd|kube|tun|tap|wg|tailscale|zt|utun|ppp|ipsec)/

/**
 * The addresses for the certificate and, if `home` is set, the announcement. Excluded: loopback (the certificate names
 * it anyway) and IPv6 link-local addresses, which need an interface of the *client*. IPv4 link-local ones count only if
 * an interface has no other: two machines on one cable.
 */
export function lanAddresses(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): readonly LanAddress[] {
  const found: LanAddress[] = []
  for (const [name, infos = []] of Object.entries(interfaces)) {
    const usable = infos.filter((info) => !info.internal && info.cidr !== null && !isUseless(info.address))
    // Node reports the index of an interface only with its link-local IPv6 address.
    const index = infos.find((info) => info.family === 'IPv6' && info.scopeid > 0)?.scopeid
    const hasRouted = usable.some((info) => info.family === 'IPv4' && !info.address.startsWith('169.254.'))
    for (const { family, address, cidr } of usable) {
      if (cidr === null || (hasRouted && address.startsWith('169.254.'))) continue
      found.push({
        interface: name,
        family: family === 'IPv4' ? 4 : 6,
        address,
        cidr,
        home: !NOT_HOME.test(name),
        ...(index !== undefined && { index }),
      })
    }
  }
  // A fixed order, so that a reordering by the system is not a change. Home addresses come first, because the bound may
  // cut the rest.
  found.sort(
    (a, b) =>
      Number(b.home) - Number(a.home) ||
      a.family - b.family ||
      compare(a.interface, b.interface) ||
      compare(a.address, b.address),
  )
  return found.slice(0, ADDRESSES_MAX)
}

/** True for a peer in the home's own networks. This machine itself may stand for any peer, so it is none. */
export function isInHomeNetwork(peer: string, addresses: readonly LanAddress[]): boolean {
  const networks = new BlockList()
  for (const { cidr, family } of addresses.filter(({ home }) => home)) {
    const [network = '', length] = cidr.split('/')
    networks.addSubnet(network, Number(length), family === 4 ? 'ipv4' : 'ipv6')
  }
  const address = plainAddress(peer)
  return isIP(address) > 0 && networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Reads the machine's addresses every `intervalMs` and calls the listeners after a change. */
export function watchAddresses({
  clock,
  log,
  intervalMs = ADDRESS_CHECK_MS,
  list = networkInterfaces,
}: AddressWatcherOptions): AddressWatcher {
  const listeners = new Emitter<readonly LanAddress[]>((error) =>
    log.error({ err: error }, 'A listener of address changes failed.'),
  )
  let failed = false
  let current: readonly LanAddress[] = []

  function look(): readonly LanAddress[] {
    try {
      const found = lanAddresses(list())
      failed = false
      return found
    } catch (error) {
      if (!failed)
        log.warn(
          { err: error },
          'The network addresses of this machine cannot be read; the last known ones stay in use.',
        )
      failed = true
      return current
    }
  }

  function check(): void {
    const next = look()
    if (sameAddresses(current, next)) return
    current = next
    log.info({ addresses: next.map((one) => one.address) }, 'The network addresses changed.')
    listeners.emit(next)
  }

  current = look()
  const stop = every(clock, intervalMs, check)
  return {
    current: () => current,
    texts: () => [...new Set(current.map((one) => one.address))],
    onChange: (listener) => listeners.on(listener),
    check,
    stop,
  }
}

function sameAddresses(a: readonly LanAddress[], b: readonly LanAddress[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, at) => {
      const other = b[at]
      return one.cidr === other?.cidr && one.interface === other.interface && one.index === other.index
    })
  )
}

function isUseless(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || /^fe[89ab][0-9a-f]:/i.test(address)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
