import type { Asker, Priority } from '../../home/ports/unit-bus.ts'
import type { Result } from '../../lib/result.ts'
import type { Reply, ReplyOf, Request, RequestName } from '../message/messages.ts'
import { REQUESTS } from '../message/messages.ts'
import { SENDS_MAX } from './link.ts'
import type { Queued } from './exchange-queue.ts'

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
  readonly asker?: Asker
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
  readonly asker: Asker
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
