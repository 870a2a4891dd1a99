// The client in Node: `@hm-gateway/client`.
import { Client } from './client.ts'
import { decodeConnectionCode } from './connection-code.ts'
import { NodeTransport } from './node-transport.ts'
import { caOf, trustedCa } from './node-trust.ts'

export * from './core.ts'
export { type Connection, decodeConnectionCode, encodeConnectionCode } from './connection-code.ts'
export { NodeTransport, type NodeOptions } from './node-transport.ts'
export { type Ca, caOf, type Found, trustedCa } from './node-trust.ts'

/** Parts of a connection code: address, token and CA. */
export interface Target {
  /** `https://…` of a gateway, or of the relay in front of it. */
  readonly url: string | readonly string[]
  readonly token: string
  /** The only CA to trust, PEM. */
  readonly ca?: string
  /** Fingerprint of the CA, which is then fetched. With neither, the CAs of the machine are trusted. */
  readonly fingerprint?: string
}

export interface ConnectOptions {
  /**
   * `host:port` of a relay that passes encrypted connections on to the gateway and cannot read them. The gateway's
   * administrator has to allow it (docs/relay.md#end-to-end).
   */
  readonly through?: string
}

/** Own name of a gateway, by which a relay routes a connection. */
const OWN_NAME = /^https:\/\/hm-[a-z0-9]+\.local(?::\d+)?$/

/**
 * Connects to a home by its connection code or by the parts of one. The client fetches the gateway's CA, compares it
 * with the fingerprint, and then trusts only that CA.
 * @throws TypeError for a malformed connection code, TrustError for another CA, ConnectionError if no gateway responds
 */
export async function connect(target: string | Target, { through }: ConnectOptions = {}): Promise<Client> {
  const { url, token, ca, fingerprint } = typeof target === 'string' ? spelledOut(target) : target
  const urls = (typeof url === 'string' ? [url] : url).map((one) => one.replace(/\/+$/, ''))
  const addresses = through === undefined ? urls : urls.filter((one) => OWN_NAME.test(one))
  if (addresses.length === 0)
    throw new TypeError('Through a relay the gateway is named by its own name: https://hm-<serial>.local:8490.')
  const way = through ?? null
  const found = ca === undefined && fingerprint !== undefined ? await trustedCa(addresses, fingerprint, way) : null
  const trusted = ca === undefined ? (found?.ca ?? null) : caOf(ca)
  const known = found === null ? {} : { found: found.address }
  return new Client(new NodeTransport({ addresses, token, ca: trusted, through: way, ...known }))
}

function spelledOut(code: string): Target {
  const connection = decodeConnectionCode(code)
  if (!connection) throw new TypeError('This is not a connection code. Copy the whole text that begins with hmc1_.')
  const { addresses, fingerprint, token } = connection
  return { url: addresses, fingerprint, token }
}
