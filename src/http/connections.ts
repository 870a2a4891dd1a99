import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Via } from '../auth/credentials/credentials.ts'
import { type Clock, every } from '../lib/clock.ts'
import { siteOf } from '../lib/network-of.ts'
import { END_TO_END_PROOF_MS } from '../wire/tunnel.ts'

export interface ConnectionLimits {
  readonly all: number
  readonly perAddress: number
}

/** Connection limits. One address gets as many as there can be live sockets and some more, but not all. */
export const CONNECTION_LIMITS: ConnectionLimits = { all: 1_000, perAddress: 320 }

/** Limits of strangers: connections without an admitted request yet. */
export const STRANGERS: ConnectionLimits = { all: 256, perAddress: 32 }

/** Idle timeout of a stranger after its last response. */
export const STRANGER_IDLE_MS = 5_000

/** Header with the idle timeout of a connection in seconds. */
const KEEP_ALIVE = 'keep-alive'

/**
 * Grace period of strangers beyond the limits, because a client may open many connections before it sends a credential.
 */
export const NEWCOMER_MS = 2_000

const CHECK_EVERY_MS = 1_000

/** Time that running requests get when the gateway stops. */
export const STOP_GRACE_MS = 1_000

interface Connection {
  /** Transport of the encrypted bytes. */
  readonly socket: Duplex
  /** True if it comes through a relay. */
  readonly isRelayed: boolean
  /** IPv4 address, or /48 of an IPv6 address. */
  readonly site: string
  readonly openedAt: number
  stranger: boolean
  /** Unsent responses of a stranger. */
  readonly pendingResponses: Set<ServerResponse>
  hasResponded: boolean
  /** Time of the last response, monotonic ms. */
  idleSince: number
}

/**
 * All connections of the server, oldest first. If there are too many, connections without a valid credential are
 * closed, first of the site with most of them. So strangers cannot keep out clients (docs/limits.md#why).
 */
export class Connections {
  readonly #clock: Clock
  readonly #limits: ConnectionLimits
  readonly #open = new Set<Connection>()
  /** Keyed by the encrypted socket, which requests refer to. */
  readonly #bySocket = new WeakMap<Socket, Connection>()
  readonly #relayed = new WeakSet<Socket>()
  #cancel: () => void
  #stopping = false

  constructor(server: HttpsServer, clock: Clock, limits = CONNECTION_LIMITS) {
    this.#clock = clock
    this.#limits = limits
    server.on('connection', (socket: Socket) => this.#register(socket, socket.remoteAddress))
    server.on('secureConnection', (encrypted) => this.#linkEncrypted(encrypted))
    // Runs before the request handler, which may respond at once.
    server.prependListener('request', (request, response) => this.#trackResponse(request, response))
    this.#cancel = every(clock, CHECK_EVERY_MS, () => this.#check())
  }

  /** Registers a connection through a relay, counted for the client's address as reported by the relay. */
  relayed(encrypted: Socket, carrier: Duplex, peer: string): void {
    this.#relayed.add(encrypted)
    this.#bySocket.set(encrypted, this.#register(carrier, peer, true))
  }

  /** Route of requests on this socket. */
  viaOf(encrypted: Socket): Via {
    return this.#relayed.has(encrypted) ? 'cloud' : 'home'
  }

  /** Marks a connection as no stranger after a request with a valid credential. */
  admitted(encrypted: Socket): void {
    const connection = this.#bySocket.get(encrypted)
    if (!connection?.stranger) return
    connection.stranger = false
    // Node then sends its own keep-alive header.
    for (const response of connection.pendingResponses) if (!response.headersSent) response.removeHeader(KEEP_ALIVE)
  }

  /** True while the gateway stops; each response then closes its connection. */
  get stopping(): boolean {
    return this.#stopping
  }

  /** Closes idle strangers at once, and all connections after `STOP_GRACE_MS`. */
  stop(): void {
    this.#stopping = true
    for (const connection of this.#open)
      if (connection.stranger && connection.pendingResponses.size === 0) this.#end(connection)
    this.#cancel()
    this.#cancel = this.#clock.after(STOP_GRACE_MS, () => {
      for (const connection of this.#open) this.#end(connection)
    })
  }

  /** Stops the timer; the server is closed. */
  stopped(): void {
    this.#cancel()
  }

  #register(socket: Duplex, address = '', isRelayed = false): Connection {
    const now = this.#clock.monotonic()
    const connection: Connection = {
      socket,
      isRelayed,
      site: siteOf(address),
      openedAt: now,
      stranger: true,
      pendingResponses: new Set(),
      hasResponded: false,
      idleSince: now,
    }
    this.#open.add(connection)
    socket.once('close', () => this.#open.delete(connection))
    this.#makeRoom(connection)
    return connection
  }

  /** Finds the carrier by its peer, because Node has no public link from an encrypted socket to its carrier. */
  #linkEncrypted(encrypted: Socket): void {
    if (this.#relayed.has(encrypted)) return
    for (const connection of this.#open)
      if (
        connection.socket instanceof Socket &&
        connection.socket.remotePort === encrypted.remotePort &&
        connection.socket.remoteAddress === encrypted.remoteAddress
      )
        this.#bySocket.set(encrypted, connection)
  }

  #trackResponse({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#bySocket.get(socket)
    if (connection?.stranger !== true) return
    connection.pendingResponses.add(response)
    if (response.shouldKeepAlive) response.setHeader(KEEP_ALIVE, `timeout=${STRANGER_IDLE_MS / 1_000}`)
    response.once('close', () => {
      connection.pendingResponses.delete(response)
      connection.hasResponded = true
      connection.idleSince = this.#clock.monotonic()
    })
  }

  /** Enforces the limits by closing strangers; the new connection only if there is no other stranger. */
  #makeRoom(newcomer: Connection): void {
    const all = [...this.#open]
    const ofSite = all.filter(({ site }) => site === newcomer.site)
    this.#endStrangers(ofSite, STRANGERS.perAddress)
    this.#endStrangers(all, STRANGERS.all)
    const remaining = ofSite.filter((connection) => this.#open.has(connection))
    if (remaining.length > this.#limits.perAddress) this.#end(oldestStranger(remaining) ?? newcomer)
    else if (this.#open.size > this.#limits.all) this.#end(oldestStranger([...this.#open]) ?? newcomer)
  }

  /** Closes strangers beyond `max` whose grace period is over. */
  #endStrangers(among: readonly Connection[], max: number): void {
    const strangers = among.filter(({ stranger }) => stranger)
    const ending = strangers.filter((connection) => this.#isPastGrace(connection))
    for (let beyond = strangers.length - max; beyond > 0 && ending.length > 0; beyond -= 1) {
      const oldest = oldestStranger(ending)
      if (!oldest) return
      ending.splice(ending.indexOf(oldest), 1)
      this.#end(oldest)
    }
  }

  #isPastGrace({ hasResponded, pendingResponses, openedAt }: Connection): boolean {
    return isIdle({ hasResponded, pendingResponses }) || this.#clock.monotonic() - openedAt > NEWCOMER_MS
  }

  #end(connection: Connection): void {
    this.#open.delete(connection)
    connection.socket.destroy()
  }

  #check(): void {
    const now = this.#clock.monotonic()
    for (const connection of this.#open)
      if (connection.stranger && (isLate(connection, now) || isTimedOut(connection, now))) this.#end(connection)
    for (const ofSite of Map.groupBy(this.#open, ({ site }) => site).values())
      this.#endStrangers(ofSite, STRANGERS.perAddress)
    this.#endStrangers([...this.#open], STRANGERS.all)
  }
}

/** True for an answered connection past its idle timeout. */
function isTimedOut(connection: Connection, now: number): boolean {
  return isIdle(connection) && now - connection.idleSince >= STRANGER_IDLE_MS
}

/**
 * True for a relayed connection without a credential for too long. The relay reserves half of its places for
 * connections with one.
 */
function isLate({ isRelayed, openedAt }: Connection, now: number): boolean {
  return isRelayed && now - openedAt >= END_TO_END_PROOF_MS
}

/** True between requests. Before the first complete request, the server's own timeouts apply. */
function isIdle({ hasResponded, pendingResponses }: Pick<Connection, 'hasResponded' | 'pendingResponses'>): boolean {
  return hasResponded && pendingResponses.size === 0
}

/** The oldest stranger of the site with most strangers. */
function oldestStranger(among: readonly Connection[]): Connection | undefined {
  const strangers = among.filter(({ stranger }) => stranger)
  const sites = [...Map.groupBy(strangers, ({ site }) => site).values()]
  return sites.reduce<readonly Connection[]>((most, site) => (site.length > most.length ? site : most), [])[0]
}
