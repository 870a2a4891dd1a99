import type { Requester, Priority } from '../../home/ports/unit-bus.ts'
import { type Result, fail } from '../../lib/result.ts'
import { type Reply, type ReplyOf, type Request, type RequestName, REQUESTS } from '../message/messages.ts'
import { SENDS_MAX } from './link.ts'
import type { Queued } from './exchange-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { TokenBucket, type BucketOptions } from '../../lib/token-bucket.ts'

/**
 * The reason for a missing reply. `link_down`: known before sending. `link_lost`: the session broke meanwhile.
 * `restarted`: the adapter restarted and may have forgotten it. `no_reply`: timeout on a sound link. `waited_too_long`,
 * `queue_full` and `too_many`: never sent. `radio_down`, `unit_silent`: not sent, because radio or unit are known to be
 * down. `unsound_reply`: a reply to another request.
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
  /** Omitted for the home itself. */
  readonly asker?: Requester
  /** Adjacent waiting requests of one key for the same unit collapse to the newest. */
  readonly key?: string
  /** Exempt from the background's air time budget: for requests of a reconnect. */
  readonly urgent?: boolean
}

type Settle = (result: Result<Reply, ExchangeFailure>) => void

/** Number of callers that one frame answers. */
const SETTLERS_MAX = 256

/** One request: waiting, sent, or sent and acknowledged. */
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

  /** True if many units reply, which occupies the air for their total time. */
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

  /** Like `promise`, but called synchronously. */
  whenSettled(settle: Settle): void {
    this.#settlers.push(settle)
  }

  /** The reply of `N`: the runner settles an exchange only with a reply of its request's name. */
  promise<N extends RequestName>(): Promise<Result<ReplyOf<N>, ExchangeFailure>> {
    return new Promise((resolve) => this.#settlers.push(resolve as Settle))
  }

  /** Absorbs a newer request of the same key before sending; false if too many callers wait. */
  join(newer: Request): boolean {
    if (this.#settlers.length >= SETTLERS_MAX) return false
    this.#request = newer
    return true
  }

  /** One timer at a time: for the queue, or for the reply. */
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

/** Air time of background radio requests: the number per minute, and the number at once after a pause. */
export const BACKGROUND_A_MINUTE = 30
export const BACKGROUND_AT_ONCE = 60
export const AIR_TIME: BucketOptions = { perSecond: BACKGROUND_A_MINUTE / 60, burst: BACKGROUND_AT_ONCE }

export interface AdmissionOptions {
  readonly clock: Clock
  /** Budget of background radio requests. */
  readonly airTime: BucketOptions
  /** True for a recently silent unit: such units get half of the places together, so that they never occupy all. */
  readonly isDoubtful: (address: number) => boolean
}

/**
 * Decides which waiting request may go to the adapter now, by places in flight, one request per unit, one group per
 * asker, and air time for the background.
 */
export class FlowControl {
  readonly #isDoubtful: (address: number) => boolean
  readonly #airTime: TokenBucket

  constructor({ clock, airTime, isDoubtful }: AdmissionOptions) {
    this.#isDoubtful = isDoubtful
    this.#airTime = new TokenBucket(clock, airTime)
  }

  /** Milliseconds until a background request may go; 0 if it may go now. */
  get backgroundWaitMs(): number {
    return Math.ceil(this.#airTime.waitSeconds * 1_000)
  }

  /** The radio is in trouble: background requests pause, and have no reserve afterwards. */
  pauseBackground(ms: number): void {
    this.#airTime.pause(ms / 1_000)
  }

  /** True if the request may join those in flight. A granted background request takes its air time. */
  mayGo(exchange: Exchange, priority: Priority, inFlight: ReadonlyMap<number, Exchange>, inFlightMax: number): boolean {
    // The last place is reserved for people and automations: a slow background read never delays them.
    const places = priority === 'background' ? Math.max(1, inFlightMax - 1) : inFlightMax
    if (inFlight.size >= places) return false
    const others = [...inFlight.values()]
    if (others.some((other) => other.units.some((unit) => exchange.units.includes(unit)))) return false
    // A command of another asker waits at most for the air time of one group, not of several.
    if (exchange.group && others.some((other) => other.group && other.asker === exchange.asker)) return false
    const doubtful = others.filter((other) => other.units.some(this.#isDoubtful)).length
    if (exchange.units.some(this.#isDoubtful) && doubtful >= Math.max(1, inFlightMax >> 1)) return false
    return priority !== 'background' || exchange.urgent || !exchange.radio || this.#airTime.take()
  }
}

/** Requests at the link that have no reply yet. */
export class InFlight {
  readonly #byId = new Map<number, Exchange>()
  /** Requests to repeat, because the session broke before their reply. */
  #again: Exchange[] = []
  /** The request that the adapter has not acknowledged yet. */
  #sending: Exchange | null = null
  #lastId = 0

  get byId(): ReadonlyMap<number, Exchange> {
    return this.#byId
  }

  get sending(): Exchange | null {
    return this.#sending
  }

  /** An id without a request in flight. */
  nextId(): number {
    do this.#lastId = (this.#lastId % 0xffff) + 1
    while (this.#byId.has(this.#lastId))
    return this.#lastId
  }

  /** The next request to repeat, or null. */
  takeAgain(): Exchange | null {
    return this.#again.shift() ?? null
  }

  /** Hands a request to the link, first or repeated. */
  begin(exchange: Exchange): void {
    this.#byId.set(exchange.id, exchange)
    this.#sending = exchange
    exchange.setTimer(() => {})
  }

  /** The adapter acknowledged the sent request; returns it unless it is settled already. */
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

  /** The session ended: the request being sent is free again, and a hello ends with its session. */
  endSession(): void {
    this.#sending = null
    for (const exchange of [...this.#byId.values()])
      if (exchange.request.name === 'hello') this.settle(exchange, fail('link_lost'))
  }

  /** Keeps requests sent less than three times, to repeat them with their ids if the same adapter returns soon. */
  keepForRejoin(): void {
    for (const exchange of [...this.#byId.values()]) {
      if (exchange.sendsLeft > 0) exchange.setTimer(() => {})
      else this.settle(exchange, fail('link_lost'))
    }
    this.#again = [...this.#byId.values()]
  }

  /** Fails all requests except a hello, which brings the session up. */
  failAll(failure: ExchangeFailure): void {
    const failed = [...this.#byId.values()].filter((exchange) => exchange.request.name !== 'hello')
    for (const exchange of failed) this.#byId.delete(exchange.id)
    this.#again = []
    for (const exchange of failed) exchange.settle(fail(failure))
  }
}
