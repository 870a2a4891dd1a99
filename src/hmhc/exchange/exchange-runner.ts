import type { Priority } from '../../home/ports/unit-bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import { decodeFromAdapter, encodeRequest } from '../message/message-codec.ts'
import type { Hello, Reply, ReplyOf, Report, Request, RequestName, RequestOf } from '../message/messages.ts'
import { Admission } from './admission.ts'
import type { AdmissionOptions } from './admission.ts'
import type { Counters } from './counters.ts'
import { Exchange } from './exchange.ts'
import type { ExchangeFailure, SendOptions } from './exchange.ts'
import { ExchangeQueue } from './exchange-queue.ts'
import { RESET_WAIT_MS } from './link.ts'
import type { LossReason } from './link.ts'
import { LinkRunner } from './link-runner.ts'
import type { LinkListener, LinkOptions } from './link-runner.ts'

/** An adapter replies within 3.5 s of its ACK. */
export const REPLY_WAIT_MS = 4_000
/** A short break of the session, or a line just opened, is not called down for this long; requests wait meanwhile. */
export const REJOIN_WAIT_MS = 700
export const QUEUE_WAIT_MS: Readonly<Record<Priority, number>> = {
  person: 5_000,
  automation: 30_000,
  background: 120_000,
}

export type ExchangeOptions = LinkOptions & AdmissionOptions

export interface ExchangeListener {
  /** A session is ready: the adapter has introduced itself. Also after each break, however short. */
  ready(hello: Hello): void
  /** No frame can be carried: no line, or an adapter that does not answer. */
  down(why: 'port' | 'silent'): void
  reported(report: Report): void
  /** A unit's reply came in; called before its promise settles, so that a report behind it can be made to wait for it. */
  replied(): void
}

/** Carries requests to the adapter, at most once each, and replies and reports back. */
export class ExchangeRunner implements LinkListener {
  readonly #clock: Clock
  readonly #log: Log
  readonly #counters: Counters
  readonly #listener: ExchangeListener
  readonly #link: LinkRunner
  readonly #admission: Admission
  readonly #queue = new ExchangeQueue<Exchange>()
  /** Sent and not settled, by request id. */
  readonly #inFlight = new Map<number, Exchange>()
  /** Of those in flight: to be sent again, because the session broke before their reply. */
  #again: Exchange[] = []
  /** The one that the link has and the adapter did not acknowledge yet. */
  #sending: Exchange | null = null
  /** The hello on its way: it outlives `#goDown`, since it is what brings the link up. */
  #greeting: Exchange | null = null
  #hello: Hello | null = null
  #boot: number | null = null
  #down: 'port' | 'silent' | null = 'port'
  #lastId = 0
  #cancelRejoin = (): void => {}
  #cancelAirTime = (): void => {}
  #stopped = true

  constructor(options: ExchangeOptions, listener: ExchangeListener) {
    this.#clock = options.clock
    this.#log = options.log
    this.#counters = options.counters
    this.#listener = listener
    this.#link = new LinkRunner(options, this)
    this.#admission = new Admission(options)
  }

  /** Why nothing can be carried, or null. */
  get isDown(): 'port' | 'silent' | null {
    return this.#down
  }

  /** What the adapter said of itself, while its session is ready. */
  get hello(): Hello | null {
    return this.#hello
  }

  get waiting(): number {
    return this.#queue.size
  }

  start(): void {
    this.#stopped = false
    this.#link.start()
  }

  stop(): void {
    this.#stopped = true
    this.#link.stop()
    this.#endSession()
    this.#goDown('port')
    this.#cancelAirTime()
  }

  /** Sends one request; answers with its reply, whatever the result says, or why there is none. Never rejects. */
  async send<N extends RequestName>(
    request: RequestOf<N> & Request,
    options: SendOptions,
  ): Promise<Result<ReplyOf<N>, ExchangeFailure>> {
    this.#counters.add('requests')
    if (this.#down !== null) return fail('link_down')
    const joined = this.#join(request, options)
    if (joined !== null) return joined.promise<N>()
    const exchange = new Exchange(this.#nextId(), request, options)
    if (!this.#queue.add(exchange, options.priority)) return fail('queue_full')
    exchange.setTimer(
      this.#clock.after(QUEUE_WAIT_MS[options.priority], () => {
        this.#queue.remove(exchange)
        exchange.settle(fail('waited_too_long'))
      }),
    )
    const reply = exchange.promise<N>()
    this.#pump()
    return reply
  }

  /** Fails what waits for the radio: it is down, so waiting is useless. */
  dropRadio(): void {
    this.#drop((waiting) => waiting.radio, 'radio_down')
  }

  /** Fails what waits for this unit alone: it does not answer. */
  dropUnit(address: number): void {
    this.#drop(({ units }) => units.length === 1 && units[0] === address, 'unit_silent')
  }

  /** The radio asks for quiet: background requests pause. */
  pauseBackground(ms: number): void {
    this.#admission.pauseBackground(ms)
  }

  lineUp(): void {
    this.#awaitRejoin()
  }

  lineDown(): void {
    this.#endSession()
    this.#goDown('port')
  }

  opened(boot: number, bootReason: string): void {
    if (this.#boot !== null && boot !== this.#boot) {
      this.#log.warn({ bootReason }, 'The adapter restarted')
      this.#failInFlight('restarted')
    }
    this.#boot = boot
    const hello = new Exchange(this.#nextId(), { name: 'hello' }, {})
    this.#greeting = hello
    hello.whenSettled((reply) => this.#greeted(reply))
    this.#transmit(hello)
  }

  lost(reason: LossReason): void {
    this.#endSession()
    this.#log.warn({ reason }, 'The session with the adapter broke')
    if (reason === 'no_answer' || reason === 'version') {
      this.#goDown('silent')
      this.#link.reopen(
        reason === 'version' ? 'the adapter speaks another protocol version' : 'the adapter does not answer',
      )
      return
    }
    if (reason === 'silent') this.#goDown('silent')
    else this.#keepForRejoin()
    this.#link.begin()
  }

  wrote(): void {
    this.#sending?.sent()
  }

  acked(): void {
    const exchange = this.#sending
    this.#sending = null
    if (exchange !== null && this.#inFlight.has(exchange.id)) {
      exchange.setTimer(this.#clock.after(REPLY_WAIT_MS, () => this.#settle(exchange, fail('no_reply'))))
    }
    this.#pump()
  }

  delivered(payload: Uint8Array): void {
    const decoded = decodeFromAdapter(payload)
    if (!decoded.ok) {
      this.#counters.add('unsoundMessages')
      this.#log.warn(
        { fault: decoded.error, payload: Buffer.from(payload).toString('hex') },
        'The adapter sent a message that is not sound',
      )
    } else if (decoded.value.type === 'report') {
      this.#counters.add('reports')
      // Before the hello the session is not ours yet: everything is read anew after it.
      if (this.#hello !== null) this.#listener.reported(decoded.value.report)
    } else {
      this.#replied(decoded.value.request, decoded.value.reply)
    }
  }

  #drop(which: (waiting: Exchange) => boolean, failure: ExchangeFailure): void {
    for (const exchange of this.#queue.drain(which)) exchange.settle(fail(failure))
  }

  #join(request: Request, { key, priority }: SendOptions): Exchange | null {
    const unit = 'address' in request ? request.address : null
    const waiting = key === undefined || unit === null ? null : this.#queue.joinable(key, unit)
    if (waiting === null || unit === null || !waiting.join(request)) return null
    this.#queue.lift(unit, priority)
    this.#counters.add('collapsed')
    return waiting
  }

  #replied(id: number, reply: Reply): void {
    const exchange = this.#inFlight.get(id)
    if (exchange === undefined) return this.#counters.add('lateReplies')
    if (exchange.radio) this.#listener.replied()
    return this.#settle(exchange, reply.name === exchange.request.name ? ok(reply) : fail('unsound_reply'))
  }

  #greeted(reply: Result<Reply, ExchangeFailure>): void {
    this.#greeting = null
    if (reply.ok && reply.value.name === 'hello' && reply.value.result === 'done') {
      this.#hello = reply.value
      this.#down = null
      this.#cancelRejoin()
      this.#link.settled()
      this.#listener.ready(reply.value)
      this.#pump()
    } else if (reply.ok || reply.error !== 'link_lost') {
      // A session without a hello is of no use; a broken one was begun anew already.
      this.#clock.after(RESET_WAIT_MS, () => {
        if (this.#hello === null && this.#link.open) this.#link.begin()
      })
    }
  }

  /** Gives the link its next request: after a break what was on its way, then by priority. */
  #pump(): void {
    if (this.#sending !== null || this.#hello === null || !this.#link.open) return
    const { inFlightMax } = this.#hello
    const exchange =
      this.#again.shift() ??
      this.#queue.take((waiting, priority) => this.#admission.mayGo(waiting, priority, this.#inFlight, inFlightMax))
    if (exchange !== null) this.#transmit(exchange)
    else this.#awaitAirTime()
  }

  #transmit(exchange: Exchange): void {
    this.#inFlight.set(exchange.id, exchange)
    this.#sending = exchange
    exchange.setTimer(() => {})
    this.#link.send(encodeRequest(exchange.id, exchange.request), exchange.sendsLeft)
  }

  /** Comes back when the background may go on. */
  #awaitAirTime(): void {
    this.#cancelAirTime()
    const waitMs = this.#admission.backgroundWaitMs
    if (this.#queue.size > 0 && waitMs > 0) this.#cancelAirTime = this.#clock.after(waitMs, () => this.#pump())
  }

  #settle(exchange: Exchange, result: Result<Reply, ExchangeFailure>): void {
    this.#inFlight.delete(exchange.id)
    this.#again = this.#again.filter((other) => other !== exchange)
    exchange.settle(result)
    this.#pump()
  }

  /** After a break: what was sent less than three times may be sent again with its id, if the same adapter is back soon. */
  #keepForRejoin(): void {
    const kept = [...this.#inFlight.values()].filter((exchange) => exchange.sendsLeft > 0)
    for (const exchange of this.#inFlight.values()) {
      if (kept.includes(exchange)) exchange.setTimer(() => {})
      else exchange.settle(fail('link_lost'))
    }
    this.#inFlight.clear()
    for (const exchange of kept) this.#inFlight.set(exchange.id, exchange)
    this.#again = kept
    this.#awaitRejoin()
  }

  #awaitRejoin(): void {
    this.#cancelRejoin()
    this.#cancelRejoin = this.#clock.after(REJOIN_WAIT_MS, () => {
      if (this.#hello === null) this.#goDown('silent')
    })
  }

  #endSession(): void {
    const greeting = this.#greeting
    this.#hello = null
    this.#sending = null
    if (greeting !== null) this.#settle(greeting, fail('link_lost'))
  }

  #goDown(why: 'port' | 'silent'): void {
    this.#cancelRejoin()
    const told = this.#down
    this.#down = why
    this.#failInFlight('link_lost')
    this.#drop(() => true, 'link_down')
    if (told !== why && !this.#stopped) this.#listener.down(why)
  }

  #failInFlight(failure: ExchangeFailure): void {
    const failed = [...this.#inFlight.values()].filter((exchange) => exchange !== this.#greeting)
    for (const exchange of failed) this.#inFlight.delete(exchange.id)
    this.#again = []
    for (const exchange of failed) exchange.settle(fail(failure))
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % 0xffff) + 1
    while (this.#inFlight.has(this.#lastId))
    return this.#lastId
  }
}
