import { EventEmitter } from 'node:events'
import type { Server as HttpsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { HTTP_PROTOCOLS } from '../lib/https-server.ts'
import type { Clock } from '../lib/clock.ts'
import type { Connections } from './connections.ts'

export interface RelayedConnectionsParts {
  readonly server: HttpsServer
  readonly connections: Connections
  readonly tls: SecureContextOptions
  /** How long a handshake may take. */
  readonly handshakeMs: number
  readonly clock: Clock
}

/**
 * Clients' own TLS connections that a relay brings as bytes (docs/relay.md#end-to-end): they are decrypted here and
 * served as if they had come over the port. For certificates this is a server like any other.
 */
export class RelayedConnections extends EventEmitter {
  readonly #parts: RelayedConnectionsParts
  #context: SecureContext

  constructor(parts: RelayedConnectionsParts) {
    super()
    this.#parts = parts
    this.#context = createSecureContext(parts.tls)
  }

  /** Later handshakes get this certificate. */
  setSecureContext(tls: SecureContextOptions): void {
    this.#context = createSecureContext(tls)
  }

  /**
   * Serves the client whose bytes `carrier` has; both end together. Whatever becomes of it, nothing is thrown.
   * @param peer the client's address, as the relay saw it.
   */
  take(carrier: Duplex, peer: string): void {
    const { server, connections, handshakeMs, clock } = this.#parts
    // The certificate is looked at before each handshake.
    this.emit('connection', carrier)
    // On the server's side any stream of bytes will do.
    const encrypted = new TLSSocket(carrier, {
      isServer: true,
      secureContext: this.#context,
      ALPNProtocols: HTTP_PROTOCOLS,
    })
    Object.defineProperty(encrypted, 'remoteAddress', { value: peer })
    const late = clock.after(handshakeMs, () => encrypted.destroy())
    encrypted.on('error', () => encrypted.destroy())
    encrypted.once('close', () => {
      late()
      carrier.destroy()
    })
    carrier.once('close', () => encrypted.destroy())
    connections.relayed(encrypted, carrier, peer)
    encrypted.once('secure', () => {
      late()
      if (!encrypted.destroyed) server.emit('secureConnection', encrypted)
    })
  }
}
