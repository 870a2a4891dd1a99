// The client in Node: `@hm-gateway/client`.
import { Client } from './client.ts'
import { decodeConnectionCode } from './connection-code.ts'
import { NodeTransport } from './node-transport.ts'
import { caOf, trustedCa } from './node-trust.ts'

export * from './core.ts'
export { type Connection, decodeConnectionCode, encodeConnectionCode } from './connection-code.ts'
export { NodeTransport, type NodeOptions } from './node-transport.ts'
export { type Ca, caOf, type Found, trustedCa } from './node-trust.ts'

/** Where a home is and whom to trust there, spelled out. */
export interface Target {
  /** `https://…`: of a gateway, or of the relay that it is reached through. */
  readonly url: string | readonly string[]
  readonly token: string
  /** The only CA to trust, PEM. */
  readonly ca?: string
  /** Or its fingerprint, by which it is fetched. With neither, those count that the machine trusts. */
  readonly fingerprint?: string
}

export interface ConnectOptions {
  /**
   * `host:port` of a relay that passes on what is said to the gateway itself: the way there, where the gateway's
   * administrator allows it, on which nobody can read (docs/relay.md#end-to-end).
   */
  readonly through?: string
}

/** The name by which a relay knows whom a connection is for. */
const OWN_NAME = /^https:\/\/hm-[a-z0-9]+\.local(?::\d+)?$/

/**
 * A client of a home, by the connection code that was shown with its token, or by its parts. The gateway's CA is
 * fetched, compared with the fingerprint, and is then the only one that is trusted.
 * @throws TypeError for what is no connection code, TrustError where another CA answers, ConnectionError where none
 * does
 */
export async function connect(target: string | Target, { through }: ConnectOptions = {}): Promise<Client> {
  const { url, token, ca, fingerprint } = typeof target === 'string' ? spelledOut(target) : target
  const given = (typeof url === 'string' ? [url] : url).map((each) => each.replace(/\/+$/, ''))
  const addresses = through === undefined ? given : given.filter((each) => OWN_NAME.test(each))
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
  if (!connection) throw new TypeError('This is no connection code: it begins with hmc1_ and is copied as a whole.')
  const { addresses, fingerprint, token } = connection
  return { url: addresses, fingerprint, token }
}
