import type { GatewayPlace } from '../lib/connection-code.ts'
import { hostName } from '../tls/names.ts'
import { isLoopback } from './settings.ts'

/** Addresses in a connection code: a name that stays, and some for networks that do not resolve it. */
export const CODE_ADDRESSES_MAX = 4

export interface PlaceFacts {
  readonly serial: string
  readonly port: number
  /** What it listens on. */
  readonly host: string
  /** The machine's addresses, those of the home's network first. */
  readonly addresses: readonly string[]
  readonly fingerprint: string
}

/** Where clients find the gateway, as a connection code says it. */
export function placeOf({ serial, port, host, addresses, fingerprint }: PlaceFacts): GatewayPlace {
  const names = namesAt(serial, host, addresses).slice(0, CODE_ADDRESSES_MAX)
  return { addresses: names.map((name) => originAt(name, port)), fingerprint }
}

/** Under which names the gateway's own machine and its home reach it, the surest first. */
export function namesHere({
  serial,
  host,
  addresses,
}: Pick<PlaceFacts, 'serial' | 'host' | 'addresses'>): readonly string[] {
  return isEverywhere(host) ? ['localhost', hostName(serial), ...addresses] : namesAt(serial, host, addresses)
}

/** Which of the machine's addresses it listens on. */
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
  // Without a network it is reached on its own machine alone.
  return addresses.length === 0 ? [hostName(serial), 'localhost'] : [hostName(serial), ...addresses]
}
