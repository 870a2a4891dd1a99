import type { Requester, Priority } from '../../home/ports/unit-bus.ts'
import { type Result, fail } from '../../lib/result.ts'
import { type Reply, type ReplyOf, type Request, type RequestName, REQUESTS } from '../message/messages.ts'
import { SENDS_MAX } from './link.ts'
import type { Queued } from './exchange-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { TokenBucket, type BucketOptions } from '../../lib/token-bucket.ts'

/**
 * Why a request has no reply. `link_down`: known before it was sent. `link_lost`: the session broke under it.
 * `restarted`: the adapter did, and may have forgotten it. `no_reply`: none in time, though the link is sound.
 * `waited_too_long`, `queue_full` and `too_many`: never sent. `radio_down`, `unit_silent`: not sent, because the radio or the unit
 * is known to be gone. `unsound_reply`: a reply to something else.
 */
export type ExchangeFailure =
  | 'link_down'
  | 'link_lost'
  | 'restarted'
  | 'no_reply'
  | 'waited_too_long'
  | 'queue_full'
  | 'too_many'
  | 'unsound_reply'
  | 'radio_down'
  | 'unit_silent'

export interface SendOptions {
  readonly priority: Priority
  /** Left out where it is the home itself. */
  readonly asker?: Requester
  /** Requests of one key that wait next to each other for the same unit collapse to the newest. */
  readonly key?: string
  /** Exempt from the budget of background air time: for what a reconnect needs. */
  readonly urgent?: boolean
}

type Settle = (result: Result<Reply, ExchangeFailure>) => void

/** Callers that one frame answers. */
const SETTLERS_MAX = 256

/** One request on its way: waiting, sent, or sent and acknowledged. */
export class Exchange implements Queued {
  readonly id: number
  readonly units: readonly number[]
  readonly ordered: boolean
  readonly key: string | null
  readonly urgent: boolean
  readonly asker: Requester
  #request: Request
  #sends = 0
  readonly #settlers: Settle[] = []
  #cancelTimer = (): void => {}

  constructor(id: number, request: Request, options: Omit<SendOptions, 'priority'>) {
    this.id = id
    this.#request = request
    this.units = unitsOf(request)
    this.ordered = request.name === 'control' || request.name === 'group_control' || request.name === 'write_registers'
    this.key = options.key ?? null
    this.urgent = options.urgent ?? false
    this.asker = options.asker ?? null
  }

  get request(): Request {
    return this.#request
  }

  /** Whether each of many units answers it, which keeps the air busy for as long as they all take. */
  get group(): boolean {
    return this.#request.name === 'group_control'
  }

  get radio(): boolean {
    return REQUESTS[this.#request.name].radio
  }

  get sendsLeft(): number {
    return SENDS_MAX - this.#sends
  }

  sent(): void {
    this.#sends += 1
  }

  /** As `promise`, at once instead of a turn later. */
  whenSettled(settle: Settle): void {
    this.#settlers.push(settle)
  }

  /** The reply of `N`: the runner settles an exchange only with a reply of its request's name. */
  promise<N extends RequestName>(): Promise<Result<ReplyOf<N>, ExchangeFailure>> {
    return new Promise((resolve) => this.#settlers.push(resolve as Settle))
  }

  /** Takes a newer request of the same key in, before this one was sent; false when too many wait for it. */
  join(newer: Request): boolean {
    if (this.#settlers.length >= SETTLERS_MAX) return false
    this.#request = newer
    return true
  }

  /** One timer at a time: waiting in the queue, or for the reply. */
  setTimer(cancel: () => void): void {
    this.#cancelTimer()
    this.#cancelTimer = cancel
  }

  settle(result: Result<Reply, ExchangeFailure>): void {
    this.#cancelTimer()
    for (const settle of this.#settlers.splice(0)) settle(result)
  }
}

function unitsOf(request: Request): readonly number[] {
  if ('address' in request) return [request.address]
  return request.name === 'group_control' ? [...new Set(request.members.map((member) => member.address))] : []
}

/** Air time for radio requests that nobody waits for: this many a minute, and this many at once after a rest. */
export const BACKGROUND_A_MINUTE = 30
export const BACKGROUND_AT_ONCE = 60
export const AIR_TIME: BucketOptions = { perSecond: BACKGROUND_A_MINUTE / 60, burst: BACKGROUND_AT_ONCE }

export interface AdmissionOptions {
  readonly clock: Clock
  /** The budget of background radio requests. */
  readonly airTime: BucketOptions
  /** Whether a unit was silent lately: such units together get half of the places, so that they never hold all. */
  readonly isDoubtful: (address: number) => boolean
}

/**
 * Decides which waiting request may go to the adapter now: places in flight, one request for each unit, one group of
 * each asker, air time for the background.
 */
export class Admission {
  readonly #isDoubtful: (address: number) => boolean
  readonly #airTime: TokenBucket

  constructor({ clock, airTime, isDoubtful }: AdmissionOptions) {
    this.#isDoubtful = isDoubtful
    this.#airTime = new TokenBucket(clock, airTime)
  }

  /** Milliseconds until a background request may go; 0 when it may go now. */
  get backgroundWaitMs(): number {
    return Math.ceil(this.#airTime.waitSeconds * 1_000)
  }

  /** The radio asks for quiet: background requests pause, and have no reserve afterwards. */
  pauseBackground(ms: number): void {
    this.#airTime.pause(ms / 1_000)
  }

  /** Whether it may go beside those in flight. A yes to a background request takes its air time. */
  mayGo(exchange: Exchange, priority: Priority, inFlight: ReadonlyMap<number, Exchange>, inFlightMax: number): boolean {
    // The last place is kept for people and automations: a slow background read never makes them wait.
    const places = priority === 'background' ? Math.max(1, inFlightMax - 1) : inFlightMax
    if (inFlight.size >= places) return false
    const others = [...inFlight.values()]
    if (others.some((other) => other.units.some((unit) => exchange.units.includes(unit)))) return false
    // One command of another waits for the air at most until one group has answered, not for several.
    if (exchange.group && others.some((other) => other.group && other.asker === exchange.asker)) return false
    const doubtful = others.filter((other) => other.units.some(this.#isDoubtful)).length
    if (exchange.units.some(this.#isDoubtful) && doubtful >= Math.max(1, inFlightMax >> 1)) return false
    return priority !== 'background' || exchange.urgent || !exchange.radio || this.#airTime.take()
  }
}

/** The requests that were handed to the link and have no reply yet. */
export class InFlight {
  readonly #byId = new Map<number, Exchange>()
  /** To be sent again, because the session broke before their reply. */
  #again: Exchange[] = []
  /** The one that the link has and the adapter did not acknowledge yet. */
  #sending: Exchange | null = null
  #lastId = 0

  get byId(): ReadonlyMap<number, Exchange> {
    return this.#byId
  }

  get sending(): Exchange | null {
    return this.#sending
  }

  /** An id that no request in flight has. */
  nextId(): number {
    do this.#lastId = (this.#lastId % 0xffff) + 1
    while (this.#byId.has(this.#lastId))
    return this.#lastId
  }

  /** The next one that is to be sent again, or null. */
  takeAgain(): Exchange | null {
    return this.#again.shift() ?? null
  }

  /** The link takes it, for the first time or again. */
  begin(exchange: Exchange): void {
    this.#byId.set(exchange.id, exchange)
    this.#sending = exchange
    exchange.setTimer(() => {})
  }

  /** The adapter has what was sent; answers which one, unless it is over already. */
  acked(): Exchange | null {
    const exchange = this.#sending
    this.#sending = null
    return exchange !== null && this.#byId.has(exchange.id) ? exchange : null
  }

  settle(exchange: Exchange, result: Result<Reply, ExchangeFailure>): void {
    this.#byId.delete(exchange.id)
    this.#again = this.#again.filter((other) => other !== exchange)
    exchange.settle(result)
  }

  /** The session is over: what was being sent is not, and a hello belongs to its session. */
  endSession(): void {
    this.#sending = null
    for (const exchange of [...this.#byId.values()])
      if (exchange.request.name === 'hello') this.settle(exchange, fail('link_lost'))
  }

  /** Keeps what was sent less than three times: it may be sent again with its id, if the same adapter is back soon. */
  keepForRejoin(): void {
    for (const exchange of [...this.#byId.values()]) {
      if (exchange.sendsLeft > 0) exchange.setTimer(() => {})
      else this.settle(exchange, fail('link_lost'))
    }
    this.#again = [...this.#byId.values()]
  }

  /** All fail, but a hello: it is what brings the session up. */
  failAll(failure: ExchangeFailure): void {
    const failed = [...this.#byId.values()].filter((exchange) => exchange.request.name !== 'hello')
    for (const exchange of failed) this.#byId.delete(exchange.id)
    this.#again = []
    for (const exchange of failed) exchange.settle(fail(failure))
  }
}
