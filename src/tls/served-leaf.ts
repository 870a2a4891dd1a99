import type { SecureContextOptions } from 'node:tls'
import type { Leaf } from './leaf.ts'

/** What a running server of any kind (https, fastify's, one without a port) offers to take a new certificate. */
export interface RenewableServer {
  setSecureContext(options: SecureContextOptions): void
  once(event: 'close', listener: () => void): unknown
  prependListener(event: 'connection', listener: () => void): unknown
}

/** The leaf in use, and the servers that show it. */
export class ServedLeaf {
  #current: Leaf
  readonly #servers = new Set<RenewableServer>()

  constructor(leaf: Leaf) {
    this.#current = leaf
  }

  get current(): Leaf {
    return this.#current
  }

  /** New handshakes get this leaf from now on. */
  replace(leaf: Leaf): void {
    this.#current = leaf
    for (const server of this.#servers) server.setSecureContext(this.secureContextOptions())
  }

  /**
   * What a server listens with and what every renewal sets again. `minVersion` has to be repeated each time: a context
   * without it would let TLS 1.2 in. No ticket keys: a session begun under the old certificate is not resumed under the
   * new one.
   */
  secureContextOptions(): SecureContextOptions {
    return {
      key: this.#current.keyPem,
      cert: this.#current.certificatePem,
      minVersion: 'TLSv1.3',
      maxVersion: 'TLSv1.3',
      // The default groups include finite-field ones so large that a client could keep the processor busy with
      // handshakes.
      ecdhCurve: 'X25519:P-256',
    }
  }

  /** `beforeHandshake` is called with each new connection, and may still replace the leaf for it. */
  attach(server: RenewableServer, beforeHandshake: () => void): void {
    server.setSecureContext(this.secureContextOptions())
    // Before Node's own listener, which takes the leaf for this handshake.
    server.prependListener('connection', beforeHandshake)
    this.#servers.add(server)
    server.once('close', () => this.#servers.delete(server))
  }

  detachAll(): void {
    this.#servers.clear()
  }
}
