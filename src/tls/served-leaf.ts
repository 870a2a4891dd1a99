import type { SecureContextOptions } from 'node:tls'
import type { Leaf } from './leaf.ts'

/** Method of a running server (https, fastify's, one without a port) that sets a new certificate. */
export interface RenewableServer {
  setSecureContext(options: SecureContextOptions): void
  once(event: 'close', listener: () => void): unknown
  prependListener(event: 'connection', listener: () => void): unknown
}

/** The current leaf, and the servers that use it. */
export class ServedLeaf {
  #current: Leaf
  readonly #servers = new Set<RenewableServer>()

  constructor(leaf: Leaf) {
    this.#current = leaf
  }

  get current(): Leaf {
    return this.#current
  }

  /** Uses this leaf for new handshakes. */
  replace(leaf: Leaf): void {
    this.#current = leaf
    for (const server of this.#servers) server.setSecureContext(this.secureContextOptions())
  }

  /**
   * TLS options of a server, set again at each renewal. `minVersion` must be repeated, because a context without it
   * would allow TLS 1.2. Without ticket keys, sessions of the old certificate are not resumed under the new one.
   */
  secureContextOptions(): SecureContextOptions {
    return {
      key: this.#current.keyPem,
      cert: this.#current.certificatePem,
      minVersion: 'TLSv1.3',
      maxVersion: 'TLSv1.3',
      // The default groups include large finite-field ones, with which a client could keep the processor busy.
      ecdhCurve: 'X25519:P-256',
    }
  }

  /** Calls `beforeHandshake` at each new connection, which may replace the leaf for it. */
  attach(server: RenewableServer, beforeHandshake: () => void): void {
    server.setSecureContext(this.secureContextOptions())
    // Runs before Node's own listener, which uses the leaf for this handshake.
    server.prependListener('connection', beforeHandshake)
    this.#servers.add(server)
    server.once('close', () => this.#servers.delete(server))
  }

  detachAll(): void {
    this.#servers.clear()
  }
}
