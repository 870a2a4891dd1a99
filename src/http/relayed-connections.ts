import { EventEmitter } from 'node:events'
import type { Server as HttpsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { HTTP_PROTOCOLS, SERVER_BOUNDS } from '../lib/https-server.ts'
import type { Clock } from '../lib/clock.ts'
import type { Connections } from './connections.ts'

export interface RelayedConnectionsParts {
  readonly server: HttpsServer
  readonly connections: Connections
  readonly tls: SecureContextOptions
  readonly clock: Clock
}

/**
 * Clients' own TLS connections through a relay (docs/relay.md#end-to-end). They are decrypted here and served like
 * connections to the port. Certificates are updated as on any other server.
 */
export class RelayedConnections extends EventEmitter {
  readonly #parts: RelayedConnectionsParts
  #tls: SecureContextOptions
  /** Made at the first connection: most homes have no relay. */
  #context: SecureContext | null = null

  constructor(parts: RelayedConnectionsParts) {
    super()
    this.#parts = parts
    this.#tls = parts.tls
  }

  /** Sets the certificate of later handshakes. */
  setSecureContext(tls: SecureContextOptions): void {
    this.#tls = tls
    this.#context = null
  }

  /**
   * Serves the client behind `carrier`; both end together. Never throws.
   * @param peer the client's address as reported by the relay
   */
  serve(carrier: Duplex, peer: string): void {
    const { server, connections, clock } = this.#parts
    // Listeners refresh the certificate before each handshake.
    this.emit('connection', carrier)
    // On the server side, `TLSSocket` accepts any duplex stream.
    const encrypted = new TLSSocket(carrier, {
      isServer: true,
      secureContext: (this.#context ??= createSecureContext(this.#tls)),
      ALPNProtocols: HTTP_PROTOCOLS,
    })
    Object.defineProperty(encrypted, 'remoteAddress', { value: peer })
    const handshakeTimeout = clock.after(SERVER_BOUNDS.handshakeTimeout, () => encrypted.destroy())
    encrypted.on('error', () => encrypted.destroy())
    encrypted.once('close', () => {
      handshakeTimeout()
      carrier.destroy()
    })
    carrier.once('close', () => encrypted.destroy())
    connections.addRelayed(encrypted, carrier, peer)
    encrypted.once('secure', () => {
      handshakeTimeout()
      if (!encrypted.destroyed) server.emit('secureConnection', encrypted)
    })
  }
}
