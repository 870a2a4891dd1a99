import { connect, type TLSSocket } from 'node:tls'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import type { LocatedTunnel } from '../tunnels/directory.ts'
import { TunnelSession, STREAMS_OF_SESSION_MAX } from '../tunnels/tunnel-session.ts'
import { RETIRED_MS } from '@hm-gateway/wire/tunnel.ts'
import { spkiOf } from './inner-identity.ts'
import { NODE_MEMORY_MIB, NODE_STREAMS_MAX, NODE_WINDOW_BYTES, SESSIONS_MAX } from './inner-server.ts'
import { GATEWAY_HEADER, type Holder, SECRET_HEADER } from './node-messages.ts'

/** Time to connect to another node and check its key. */
export const PEER_CONNECT_MS = 2_000
const LIMITS = {
  streamsInAll: STREAMS_OF_SESSION_MAX,
  // The node with the tunnel applies the limits of each home.
  concurrent: {
    streams: NODE_STREAMS_MAX,
    strangers: NODE_STREAMS_MAX,
    endToEnd: NODE_STREAMS_MAX,
    unauthenticated: NODE_STREAMS_MAX,
  },
  memoryMib: NODE_MEMORY_MIB,
  windowBytes: NODE_WINDOW_BYTES,
}

/** Sessions of this node to other nodes: one long-lived session for each. */
export class Peers implements Disposable {
  readonly #clock: Clock
  readonly #log: Log
  readonly #sessions = new Map<string, Promise<TunnelSession | null>>()
  readonly #openSessions = new Set<TunnelSession>()
  #isDisposed = false

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Open streams to other nodes. */
  get streams(): number {
    return [...this.#openSessions].reduce((sum, { streams }) => sum + streams, 0)
  }

  /** Returns the tunnel of a gateway at another node, or null if that node cannot be reached. */
  async tunnelAt(gateway: string, holder: Holder): Promise<LocatedTunnel | null> {
    const session = await this.#session(holder)
    if (session === null) return null
    const { node, secret } = holder
    return {
      node,
      open: (headers, endStream) =>
        session.open({ ...headers, [GATEWAY_HEADER]: gateway, [SECRET_HEADER]: secret }, endStream),
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const opening of this.#sessions.values()) void opening.then((session) => session?.destroy())
  }

  #session(holder: Holder): Promise<TunnelSession | null> {
    const known = this.#sessions.get(holder.node)
    if (known !== undefined) return known
    if (this.#isDisposed || this.#sessions.size >= SESSIONS_MAX) return Promise.resolve(null)
    const forget = (): void => {
      if (this.#sessions.get(holder.node) === opening) this.#sessions.delete(holder.node)
    }
    const opening = this.#dial(holder, forget)
    this.#sessions.set(holder.node, opening)
    void opening.then((session) => {
      if (session === null) forget()
    })
    return opening
  }

  async #dial(holder: Holder, forget: () => void): Promise<TunnelSession | null> {
    const socket = await connectTo(holder, this.#clock)
    if (socket === null || socket.destroyed) {
      this.#log.debug({ node: holder.node, host: holder.host, port: holder.port }, 'Another node cannot be reached.')
      return null
    }
    const onExhausted = (): void => {
      forget()
      session.retire(RETIRED_MS)
    }
    const onClose = (): void => {
      this.#openSessions.delete(session)
      forget()
    }
    const [clock, log] = [this.#clock, this.#log]
    const session = new TunnelSession({ socket, clock, log, onClose, onExhausted, limits: LIMITS })
    this.#openSessions.add(session)
    return (await session.established) ? session : null
  }
}

/** Connects to a node and checks its announced key; null if either fails. Writes nothing to the socket. */
function connectTo({ host, port, spki }: Holder, clock: Clock): Promise<TLSSocket | null> {
  const { promise, resolve } = Promise.withResolvers<TLSSocket | null>()
  const socket = connect({ host, port, ALPNProtocols: ['h2'], minVersion: 'TLSv1.3', rejectUnauthorized: false })
  const fail = (): void => {
    cancelTimeout()
    socket.destroy()
    resolve(null)
  }
  const cancelTimeout = clock.after(PEER_CONNECT_MS, fail)
  socket.setNoDelay(true)
  // The listener stays: an error before the session adds its own would end the process.
  socket.on('error', fail)
  socket.once('close', fail)
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate()
    if (socket.alpnProtocol !== 'h2' || certificate === undefined || spkiOf(certificate.publicKey) !== spki)
      return fail()
    cancelTimeout()
    socket.off('close', fail)
    resolve(socket)
  })
  return promise
}
