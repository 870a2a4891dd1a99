import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Via } from '../auth/credentials/credentials.ts'
import { type Clock, every } from '../lib/clock.ts'
import { siteOf } from '../lib/network-of.ts'
import { END_TO_END_PROOF_MS } from '../wire/tunnel.ts'

/** Numbers of simultaneous connections; IPv6 addresses count by their /48. */
export interface ConnectionLimits {
  readonly all: number
  readonly perAddress: number
}

/** One address gets more connections than there can be sockets on the live stream, but not all. */
export const CONNECTION_LIMITS: ConnectionLimits = { all: 1_000, perAddress: 320 }

/** Limits of strangers: connections that have not sent a request with a valid credential yet. */
export const STRANGER_LIMITS: ConnectionLimits = { all: 256, perAddress: 32 }

/** Idle timeout of a stranger after its last response. */
export const STRANGER_IDLE_MS = 5_000

/** Header with the idle timeout of a connection in seconds. */
const KEEP_ALIVE = 'keep-alive'

/**
 * Grace period of strangers beyond the limits, because a client may open many connections before it sends a credential.
 */
export const STRANGER_GRACE_MS = 2_000

const CHECK_EVERY_MS = 1_000

/** Time that running requests get when the gateway stops. */
export const STOP_GRACE_MS = 1_000

interface Connection {
  /** Transport of the encrypted bytes. */
  readonly socket: Duplex
  /** True if the client connects through a relay. */
  readonly isRelayed: boolean
  readonly site: string
  /** Monotonic ms. */
  readonly openedAt: number
  isStranger: boolean
  /** Responses to a stranger that are not sent yet. */
  readonly pendingResponses: Set<ServerResponse>
  hasResponded: boolean
  /** Time of the last response, monotonic ms. */
  idleSince: number
}

/**
 * All connections of the server, oldest first. If there are too many, it closes strangers: the oldest ones of the site
 * that has most of them. So strangers cannot keep out clients (docs/limits.md#why). A site is an IPv4 address or the
 * /48 of an IPv6 address.
 */
export class Connections {
  readonly #clock: Clock
  readonly #limits: ConnectionLimits
  readonly #open = new Set<Connection>()
  /** Keyed by the encrypted socket, which requests refer to. */
  readonly #bySocket = new WeakMap<Socket, Connection>()
  readonly #relayed = new WeakSet<Socket>()
  #cancel: () => void
  #isStopping = false

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
  addRelayed(encrypted: Socket, carrier: Duplex, peer: string): void {
    this.#relayed.add(encrypted)
    this.#bySocket.set(encrypted, this.#register(carrier, peer, true))
  }

  /** `cloud` for a connection through a relay, otherwise `home`. */
  viaOf(encrypted: Socket): Via {
    return this.#relayed.has(encrypted) ? 'cloud' : 'home'
  }

  /** Ends the limits of strangers for a connection after a request with a valid credential. */
  markAdmitted(encrypted: Socket): void {
    const connection = this.#bySocket.get(encrypted)
    if (!connection?.isStranger) return
    connection.isStranger = false
    // Node then sends its own keep-alive header.
    for (const response of connection.pendingResponses) if (!response.headersSent) response.removeHeader(KEEP_ALIVE)
  }

  /** True while the gateway stops; each response then closes its connection. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Closes idle strangers at once, and all connections after `STOP_GRACE_MS`. */
  stop(): void {
    this.#isStopping = true
    for (const connection of this.#open)
      if (connection.isStranger && connection.pendingResponses.size === 0) this.#end(connection)
    this.#cancel()
    this.#cancel = this.#clock.after(STOP_GRACE_MS, () => {
      for (const connection of this.#open) this.#end(connection)
    })
  }

  /** Stops the timer; the server is closed. */
  stopTimer(): void {
    this.#cancel()
  }

  #register(socket: Duplex, address = '', isRelayed = false): Connection {
    const now = this.#clock.monotonic()
    const connection: Connection = {
      socket,
      isRelayed,
      site: siteOf(address),
      openedAt: now,
      isStranger: true,
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
    if (connection?.isStranger !== true) return
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
    this.#endStrangers(ofSite, STRANGER_LIMITS.perAddress)
    this.#endStrangers(all, STRANGER_LIMITS.all)
    const remaining = ofSite.filter((connection) => this.#open.has(connection))
    if (remaining.length > this.#limits.perAddress) this.#end(oldestStranger(remaining) ?? newcomer)
    else if (this.#open.size > this.#limits.all) this.#end(oldestStranger([...this.#open]) ?? newcomer)
  }

  /** Closes strangers beyond `max` whose grace period is over. */
  #endStrangers(among: readonly Connection[], max: number): void {
    const strangers = among.filter(({ isStranger }) => isStranger)
    const ending = strangers.filter((connection) => this.#isPastGrace(connection))
    for (let beyond = strangers.length - max; beyond > 0 && ending.length > 0; beyond -= 1) {
      const oldest = oldestStranger(ending)
      if (!oldest) return
      ending.splice(ending.indexOf(oldest), 1)
      this.#end(oldest)
    }
  }

  #isPastGrace({ hasResponded, pendingResponses, openedAt }: Connection): boolean {
    return isIdle({ hasResponded, pendingResponses }) || this.#clock.monotonic() - openedAt > STRANGER_GRACE_MS
  }

  #end(connection: Connection): void {
    this.#open.delete(connection)
    connection.socket.destroy()
  }

  #check(): void {
    const now = this.#clock.monotonic()
    for (const connection of this.#open)
      if (connection.isStranger && (isLate(connection, now) || isTimedOut(connection, now))) this.#end(connection)
    for (const ofSite of Map.groupBy(this.#open, ({ site }) => site).values())
      this.#endStrangers(ofSite, STRANGER_LIMITS.perAddress)
    this.#endStrangers([...this.#open], STRANGER_LIMITS.all)
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

/** True after a response, until the next request. The first request has timeouts of the server itself. */
function isIdle({ hasResponded, pendingResponses }: Pick<Connection, 'hasResponded' | 'pendingResponses'>): boolean {
  return hasResponded && pendingResponses.size === 0
}

/** The oldest stranger of the site with most strangers. */
function oldestStranger(among: readonly Connection[]): Connection | undefined {
  const strangers = among.filter(({ isStranger }) => isStranger)
  const sites = [...Map.groupBy(strangers, ({ site }) => site).values()]
  return sites.reduce<readonly Connection[]>((most, site) => (site.length > most.length ? site : most), [])[0]
}
