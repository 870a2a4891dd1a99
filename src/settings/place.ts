import type { GatewayPlace } from '../lib/connection-code.ts'
import { hostName } from '../tls/leaf-names.ts'
import { isLoopback } from './settings.ts'

/** Limit of addresses in a connection code: a stable name, and some addresses for networks that do not resolve it. */
export const CODE_ADDRESSES_MAX = 4

export interface PlaceFacts {
  readonly serial: string
  readonly port: number
  /** Address on which it listens. */
  readonly host: string
  /** Addresses of the machine, with the home network first. */
  readonly addresses: readonly string[]
  readonly fingerprint: string
}

/** Addresses of the gateway for clients, for a connection code. */
export function placeOf({ serial, port, host, addresses, fingerprint }: PlaceFacts): GatewayPlace {
  const names = namesAt(serial, host, addresses).slice(0, CODE_ADDRESSES_MAX)
  return { addresses: names.map((name) => originAt(name, port)), fingerprint }
}

/** Names of the gateway on its own machine and in the home, most reliable first. */
export function namesHere({
  serial,
  host,
  addresses,
}: Pick<PlaceFacts, 'serial' | 'host' | 'addresses'>): readonly string[] {
  return isEverywhere(host) ? ['localhost', hostName(serial), ...addresses] : namesAt(serial, host, addresses)
}

/** Addresses of the machine on which it listens. */
export function addressesAt(host: string, addresses: readonly string[]): readonly string[] {
  return isEverywhere(host) ? addresses : addresses.filter((address) => address === host)
}

/** `name` may be an address. */
export function originAt(name: string, port: number): string {
  return `https://${name.includes(':') ? `[${name}]` : name}:${port}`
}

const isEverywhere = (host: string): boolean => ['::', '0.0.0.0'].includes(host)

function namesAt(serial: string, host: string, addresses: readonly string[]): readonly string[] {
  if (isLoopback(host)) return ['localhost']
  if (!isEverywhere(host)) return [host]
  // Without a network it is reachable only on its own machine.
  return addresses.length === 0 ? [hostName(serial), 'localhost'] : [hostName(serial), ...addresses]
}
