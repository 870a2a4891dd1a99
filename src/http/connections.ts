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

/** One address cannot take all connections: it gets as many as there can be live sockets, and some more. */
export const CONNECTION_LIMITS: ConnectionLimits = { all: 1_000, perAddress: 320 }

/** Of those, connections on which no request was admitted by its credential yet. */
export const STRANGERS: ConnectionLimits = { all: 256, perAddress: 32 }

/** A stranger that was answered and asks for nothing more is disconnected after this. */
export const STRANGER_IDLE_MS = 5_000

/** Tells a client how many seconds its connection is kept without a request. */
const KEEP_ALIVE = 'keep-alive'

/** For this long a stranger may be one too many: a client with a credential may open many connections at once. */
export const NEWCOMER_MS = 2_000

const CHECK_EVERY_MS = 1_000

/** When the gateway stops, what is under way may take this long. */
export const STOP_GRACE_MS = 1_000

interface Connection {
  /** What carries the encrypted bytes. */
  readonly socket: Duplex
  /** A relay brings it. */
  readonly isRelayed: boolean
  /** The peer's IPv4 address, or the /48 of its IPv6 address. */
  readonly site: string
  readonly openedAt: number
  stranger: boolean
  /** Answers to a stranger that were not sent yet. */
  readonly underWay: Set<ServerResponse>
  answered: boolean
  /** When the last answer was sent. */
  restingSince: number
}

/**
 * All connections of the server, oldest first. Strangers shut nobody out: where there are too many connections, those
 * make room on which no valid credential was shown, first of the site that has most of them (docs/limits.md#why).
 */
export class Connections {
  readonly #clock: Clock
  readonly #limits: ConnectionLimits
  readonly #open = new Set<Connection>()
  /** By the encrypted socket, which is what requests know. */
  readonly #bySocket = new WeakMap<Socket, Connection>()
  readonly #relayed = new WeakSet<Socket>()
  #cancel: () => void
  #stopping = false

  constructor(server: HttpsServer, clock: Clock, limits = CONNECTION_LIMITS) {
    this.#clock = clock
    this.#limits = limits
    server.on('connection', (socket: Socket) => this.#opened(socket, socket.remoteAddress))
    server.on('secureConnection', (encrypted) => this.#encrypted(encrypted))
    // Before the request is answered, which may be at once.
    server.prependListener('request', (request, response) => this.#asked(request, response))
    this.#cancel = every(clock, CHECK_EVERY_MS, () => this.#check())
  }

  /** A connection that a relay brings: it counts for the client's address, as the relay saw it. */
  relayed(encrypted: Socket, carrier: Duplex, peer: string): void {
    this.#relayed.add(encrypted)
    this.#bySocket.set(encrypted, this.#opened(carrier, peer, true))
  }

  /** Which way a request on this socket came. */
  viaOf(encrypted: Socket): Via {
    return this.#relayed.has(encrypted) ? 'cloud' : 'home'
  }

  /** A request on this socket was admitted by its credential. */
  admitted(encrypted: Socket): void {
    const connection = this.#bySocket.get(encrypted)
    if (!connection?.stranger) return
    connection.stranger = false
    // Node tells them how long their connection is kept.
    for (const each of connection.underWay) if (!each.headersSent) each.removeHeader(KEEP_ALIVE)
  }

  /** Whether the gateway stops: an answer is the last one of its connection then. */
  get stopping(): boolean {
    return this.#stopping
  }

  /** The gateway stops: ends what rests at once, and everything after `STOP_GRACE_MS`. */
  stop(): void {
    this.#stopping = true
    for (const each of this.#open) if (each.stranger && each.underWay.size === 0) this.#end(each)
    this.#cancel()
    this.#cancel = this.#clock.after(STOP_GRACE_MS, () => {
      for (const each of this.#open) this.#end(each)
    })
  }

  /** The server is closed. */
  stopped(): void {
    this.#cancel()
  }

  #opened(socket: Duplex, address = '', isRelayed = false): Connection {
    const now = this.#clock.monotonic()
    const connection: Connection = {
      socket,
      isRelayed,
      site: siteOf(address),
      openedAt: now,
      stranger: true,
      underWay: new Set(),
      answered: false,
      restingSince: now,
    }
    this.#open.add(connection)
    socket.once('close', () => this.#open.delete(connection))
    this.#makeRoom(connection)
    return connection
  }

  /** The encrypted socket and the one that carries it have the same peer, and nothing public that links them. */
  #encrypted(encrypted: Socket): void {
    if (this.#relayed.has(encrypted)) return
    for (const each of this.#open)
      if (
        each.socket instanceof Socket &&
        each.socket.remotePort === encrypted.remotePort &&
        each.socket.remoteAddress === encrypted.remoteAddress
      )
        this.#bySocket.set(encrypted, each)
  }

  #asked({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#bySocket.get(socket)
    if (connection?.stranger !== true) return
    connection.underWay.add(response)
    if (response.shouldKeepAlive) response.setHeader(KEEP_ALIVE, `timeout=${STRANGER_IDLE_MS / 1_000}`)
    response.once('close', () => {
      connection.underWay.delete(response)
      connection.answered = true
      connection.restingSince = this.#clock.monotonic()
    })
  }

  /** Keeps the bounds by ending strangers; the new connection only where nobody else can go. */
  #makeRoom(newcomer: Connection): void {
    const all = [...this.#open]
    const ofSite = all.filter(({ site }) => site === newcomer.site)
    this.#endStrangers(ofSite, STRANGERS.perAddress)
    this.#endStrangers(all, STRANGERS.all)
    const left = ofSite.filter((each) => this.#open.has(each))
    if (left.length > this.#limits.perAddress) this.#end(oldestStranger(left) ?? newcomer)
    else if (this.#open.size > this.#limits.all) this.#end(oldestStranger([...this.#open]) ?? newcomer)
  }

  /** Ends strangers beyond `max` that had time to show a credential. */
  #endStrangers(among: readonly Connection[], max: number): void {
    const strangers = among.filter(({ stranger }) => stranger)
    const ending = strangers.filter((each) => this.#hadItsTime(each))
    for (let beyond = strangers.length - max; beyond > 0 && ending.length > 0; beyond -= 1) {
      const oldest = oldestStranger(ending)
      if (!oldest) return
      ending.splice(ending.indexOf(oldest), 1)
      this.#end(oldest)
    }
  }

  #hadItsTime({ answered, underWay, openedAt }: Connection): boolean {
    return isResting({ answered, underWay }) || this.#clock.monotonic() - openedAt > NEWCOMER_MS
  }

  #end(connection: Connection): void {
    this.#open.delete(connection)
    connection.socket.destroy()
  }

  #check(): void {
    const now = this.#clock.monotonic()
    for (const each of this.#open) if (each.stranger && (isLate(each, now) || isIdle(each, now))) this.#end(each)
    for (const ofSite of Map.groupBy(this.#open, ({ site }) => site).values())
      this.#endStrangers(ofSite, STRANGERS.perAddress)
    this.#endStrangers([...this.#open], STRANGERS.all)
  }
}

/** Whether it was answered and then rested for long. */
function isIdle(connection: Connection, now: number): boolean {
  return isResting(connection) && now - connection.restingSince >= STRANGER_IDLE_MS
}

/** Whether it should have shown a credential: its relay keeps half of the places for connections that have. */
function isLate({ isRelayed, openedAt }: Connection, now: number): boolean {
  return isRelayed && now - openedAt >= END_TO_END_PROOF_MS
}

/** Whether it was answered and asks for nothing; until the first request is whole, the server's own times hold. */
function isResting({ answered, underWay }: Pick<Connection, 'answered' | 'underWay'>): boolean {
  return answered && underWay.size === 0
}

/** The oldest of the site that has most of them. */
function oldestStranger(among: readonly Connection[]): Connection | undefined {
  const strangers = among.filter(({ stranger }) => stranger)
  const sites = [...Map.groupBy(strangers, ({ site }) => site).values()]
  return sites.reduce<readonly Connection[]>((most, each) => (each.length > most.length ? each : most), [])[0]
}
