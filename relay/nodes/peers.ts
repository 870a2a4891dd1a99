import { connect, type TLSSocket } from 'node:tls'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import type { FoundLine } from '../tunnels/directory.ts'
import { HeldTunnel, STREAMS_OF_SESSION_MAX } from '../tunnels/held-tunnel.ts'
import { RETIRED_MS } from '@hm-gateway/wire/tunnel.ts'
import { spkiOf } from './inner-identity.ts'
import { NODE_MEMORY_MIB, NODE_STREAMS_MAX, NODE_WINDOW_BYTES, SESSIONS_MAX } from './inner-server.ts'
import { GATEWAY_HEADER, type Holder, SECRET_HEADER } from './messages.ts'

/** Until another node has answered and proved itself. */
export const PEER_CONNECT_MS = 2_000
const BOUNDS = {
  streamsInAll: STREAMS_OF_SESSION_MAX,
  // The node that holds the tunnel knows how many of them one home takes.
  places: {
    streams: NODE_STREAMS_MAX,
    strangers: NODE_STREAMS_MAX,
    endToEnd: NODE_STREAMS_MAX,
    unproved: NODE_STREAMS_MAX,
  },
  memoryMib: NODE_MEMORY_MIB,
  windowBytes: NODE_WINDOW_BYTES,
}

/** The sessions of this node to others: one for each, kept as long as it lasts. */
export class Peers implements Disposable {
  readonly #clock: Clock
  readonly #log: Log
  readonly #sessions = new Map<string, Promise<HeldTunnel | null>>()
  readonly #open = new Set<HeldTunnel>()
  #isOver = false

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Requests and sockets that are under way over other nodes. */
  get streams(): number {
    return [...this.#open].reduce((sum, { streams }) => sum + streams, 0)
  }

  /** The line to a gateway over the node that holds it; null where that node cannot be reached. */
  async line(gateway: string, holder: Holder): Promise<FoundLine | null> {
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
    this.#isOver = true
    for (const session of this.#sessions.values()) void session.then((each) => each?.destroy())
  }

  #session(holder: Holder): Promise<HeldTunnel | null> {
    const known = this.#sessions.get(holder.node)
    if (known !== undefined) return known
    if (this.#isOver || this.#sessions.size >= SESSIONS_MAX) return Promise.resolve(null)
    const gone = (): void => {
      if (this.#sessions.get(holder.node) === opening) this.#sessions.delete(holder.node)
    }
    const opening = this.#dial(holder, gone)
    this.#sessions.set(holder.node, opening)
    void opening.then((session) => {
      if (session === null) gone()
    })
    return opening
  }

  async #dial(holder: Holder, closed: () => void): Promise<HeldTunnel | null> {
    const socket = await dialled(holder, this.#clock)
    if (socket === null || socket.destroyed) {
      this.#log.debug({ node: holder.node, host: holder.host, port: holder.port }, 'Another node cannot be reached.')
      return null
    }
    const worn = (): void => {
      closed()
      session.retire(RETIRED_MS)
    }
    const ended = (): void => {
      this.#open.delete(session)
      closed()
    }
    const session = new HeldTunnel({ socket, clock: this.#clock, log: this.#log, closed: ended, worn, bounds: BOUNDS })
    this.#open.add(session)
    return (await session.answers) ? session : null
  }
}

/** A connection to a node that has the key that was told of it; null where there is none. Nothing is written on it. */
function dialled({ host, port, spki }: Holder, clock: Clock): Promise<TLSSocket | null> {
  const { promise, resolve } = Promise.withResolvers<TLSSocket | null>()
  const socket = connect({ host, port, ALPNProtocols: ['h2'], minVersion: 'TLSv1.3', rejectUnauthorized: false })
  const given = (): void => {
    cancel()
    socket.destroy()
    resolve(null)
  }
  const cancel = clock.after(PEER_CONNECT_MS, given)
  socket.setNoDelay(true)
  // Also once it is given: an error before its session listens would end the process.
  socket.on('error', given)
  socket.once('close', given)
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate()
    if (socket.alpnProtocol !== 'h2' || certificate === undefined || spkiOf(certificate.publicKey) !== spki)
      return given()
    cancel()
    socket.off('close', given)
    resolve(socket)
  })
  return promise
}
