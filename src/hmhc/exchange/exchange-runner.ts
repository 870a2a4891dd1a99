import type { Priority } from '../../home/ports/unit-bus.ts'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import type { BootReason } from '../frame/frame.ts'
import {
  decodeFromAdapter,
  encodeRequest,
  type Hello,
  type Reply,
  type ReplyOf,
  type Report,
  type Request,
  type RequestName,
  type RequestOf,
} from '../message/messages.ts'
import {
  FlowControl,
  type AdmissionOptions,
  Exchange,
  type ExchangeFailure,
  type SendOptions,
  InFlight,
} from './exchange.ts'
import { ExchangeQueue } from './exchange-queue.ts'
import { RESET_WAIT_MS, type LossReason } from './link.ts'
import { LinkRunner } from './link-runner.ts'
import type { LinkListener, LinkRunnerOptions } from './link-runner.ts'
import { MachineRunner, NamedTimers } from './machine.ts'
import { NO_SESSION, stepSession } from './link-session.ts'
import type { SessionDown, SessionEffect, SessionTimer } from './link-session.ts'

/** An adapter replies within 3.5 s of its ACK. */
export const REPLY_WAIT_MS = 4_000
export const QUEUE_WAIT_MS: Readonly<Record<Priority, number>> = {
  person: 5_000,
  automation: 30_000,
  background: 120_000,
}

export type ExchangeOptions = LinkRunnerOptions & AdmissionOptions

export interface ExchangeListener {
  /** A session is ready: the adapter has sent its hello. Each break, however short, leads to another call. */
  onReady(hello: Hello): void
  /** No frame can be sent: no line, or an adapter that does not answer. */
  onDown(why: SessionDown): void
  onReport(report: Report): void
  /** A unit's reply arrived; called before its promise settles, so that later reports can wait for it. */
  onReply(): void
}

/** Carries requests to the adapter, at most once each, and replies and reports back. */
export class ExchangeRunner implements LinkListener {
  readonly #options: ExchangeOptions
  readonly #listener: ExchangeListener
  readonly #link: LinkRunner
  readonly #admission: FlowControl
  readonly #queue = new ExchangeQueue<Exchange>()
  readonly #inFlight = new InFlight()
  readonly #session = new MachineRunner(NO_SESSION, stepSession, (effect) => this.#do(effect))
  readonly #timers: NamedTimers<SessionTimer>
  #cancelAirTime = (): void => {}
  #stopped = true
  #version = 1

  constructor(options: ExchangeOptions, listener: ExchangeListener) {
    this.#options = options
    this.#listener = listener
    this.#link = new LinkRunner(options, this)
    this.#admission = new FlowControl(options)
    this.#timers = new NamedTimers(options.clock, (timer) => this.#session.take({ is: 'late', timer }))
  }

  /** The adapter's hello, while its session is ready. */
  get hello(): Hello | null {
    const { state } = this.#session
    return state.at === 'ready' ? state.hello : null
  }

  /**
   * Time until the next attempt on a lost line or with a silent adapter, if known. An adapter is tried again at once,
   * and each attempt has this timeout.
   */
  get retryMs(): number | null {
    const { state } = this.#session
    const carries = state.at === 'ready' && state.carries
    return this.#link.retryMs ?? (carries ? null : RESET_WAIT_MS)
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** True while the adapter speaks HMHC 1.1 or later: it lists capabilities. */
  get hasCapabilities(): boolean {
    return this.#version > 1
  }

  start(): void {
    this.#stopped = false
    this.#link.start()
  }

  stop(): void {
    this.#stopped = true
    this.#link.stop()
    this.#session.take({ is: 'line_down' })
    this.#cancelAirTime()
  }

  /** Sends one request. Returns its reply with any result, or the failure; never rejects. */
  async send<N extends RequestName>(
    request: RequestOf<N> & Request,
    options: SendOptions,
  ): Promise<Result<ReplyOf<N>, ExchangeFailure>> {
    this.#options.counters.add('requests')
    if (this.#session.state.down !== null) return fail('link_down')
    const joined = this.#join(request, options)
    if (joined !== null) return joined.promise<N>()
    const exchange = new Exchange(this.#inFlight.nextId(), request, options)
    const added = this.#queue.add(exchange, options.priority, exchange.asker)
    if (added !== 'added') return fail(added === 'full' ? 'queue_full' : added)
    exchange.setTimer(
      this.#options.clock.after(QUEUE_WAIT_MS[options.priority], () => {
        this.#queue.remove(exchange)
        exchange.settle(fail('waited_too_long'))
      }),
    )
    const reply = exchange.promise<N>()
    this.#pump()
    return reply
  }

  /** Fails requests that wait for the radio: it is down, so they would not run soon. */
  dropRadio(): void {
    this.#drop((waiting) => waiting.radio, 'radio_down')
  }

  /** Fails requests that wait only for this unit: it does not answer. */
  dropUnit(address: number): void {
    this.#drop(({ units }) => units.length === 1 && units[0] === address, 'unit_silent')
  }

  /** The radio is in trouble: background requests pause. */
  pauseBackground(ms: number): void {
    this.#admission.pauseBackground(ms)
  }

  lineUp(): void {
    this.#session.take({ is: 'line_up' })
  }

  lineDown(): void {
    this.#session.take({ is: 'line_down' })
  }

  opened(boot: number, bootReason: BootReason, version: number): void {
    this.#version = version
    this.#session.take({ is: 'opened', boot, bootReason })
  }

  lost(reason: LossReason): void {
    this.#options.log.warn({ reason }, 'The session with the adapter broke')
    this.#session.take({ is: 'lost', reason })
  }

  wrote(): void {
    this.#inFlight.sending?.sent()
  }

  acked(): void {
    if (this.#inFlight.sending?.request.name !== 'hello') this.#session.take({ is: 'carried' })
    const exchange = this.#inFlight.acked()
    exchange?.setTimer(this.#options.clock.after(REPLY_WAIT_MS, () => this.#settle(exchange, fail('no_reply'))))
    this.#pump()
  }

  delivered(payload: Uint8Array): void {
    const { counters, log } = this.#options
    const decoded = decodeFromAdapter(payload)
    if (!decoded.ok) {
      counters.add('unsoundMessages')
      log.warn(
        { fault: decoded.error, payload: Buffer.from(payload).toString('hex') },
        'The adapter sent an invalid message',
      )
    } else if (decoded.value.type === 'report') {
      counters.add('reports')
      // Before the hello the session is not confirmed; afterwards everything is read again.
      if (this.hello !== null) this.#listener.onReport(decoded.value.report)
    } else {
      this.#replied(decoded.value.request, decoded.value.reply)
    }
  }

  #do(effect: SessionEffect): void {
    switch (effect.do) {
      case 'timer':
        return this.#timers.set(effect.timer, effect.ms)
      case 'cancel':
        return this.#timers.cancel(effect.timer)
      case 'begin':
        return this.#link.begin()
      case 'reopen':
        return this.#link.reopen(effect.reason)
      case 'greet':
        return this.#greet()
      case 'end':
        return this.#inFlight.endSession()
      case 'keep':
        return this.#inFlight.keepForRejoin()
      case 'restarted':
        this.#options.log.warn({ bootReason: effect.bootReason }, 'The adapter restarted')
        return this.#inFlight.failAll('restarted')
      case 'abandon':
        this.#inFlight.failAll('link_lost')
        return this.#drop(() => true, 'link_down')
      case 'ready':
        this.#link.settled()
        this.#listener.onReady(effect.hello)
        return this.#pump()
      case 'down':
        return this.#stopped ? undefined : this.#listener.onDown(effect.why)
    }
  }

  #greet(): void {
    const hello = new Exchange(this.#inFlight.nextId(), { name: 'hello' }, {})
    hello.whenSettled((reply) => {
      // The session ended before the reply to the hello, which the machine knows already.
      if (!reply.ok && reply.error === 'link_lost') return
      const done = reply.ok && reply.value.name === 'hello' && reply.value.result === 'done'
      this.#session.take({ is: 'greeted', hello: done ? reply.value : null })
    })
    this.#transmit(hello)
  }

  #drop(which: (waiting: Exchange) => boolean, failure: ExchangeFailure): void {
    for (const exchange of this.#queue.drain(which)) exchange.settle(fail(failure))
  }

  #join(request: Request, { key, priority, asker = null }: SendOptions): Exchange | null {
    const unit = 'address' in request ? request.address : null
    const waiting = key === undefined || unit === null ? null : this.#queue.joinable(key, unit)
    if (waiting === null || unit === null || !waiting.join(request)) return null
    this.#queue.lift([unit], priority, asker)
    this.#options.counters.add('collapsed')
    return waiting
  }

  #replied(id: number, reply: Reply): void {
    const exchange = this.#inFlight.byId.get(id)
    if (exchange === undefined) return this.#options.counters.add('lateReplies')
    if (exchange.radio) this.#listener.onReply()
    return this.#settle(exchange, reply.name === exchange.request.name ? ok(reply) : fail('unsound_reply'))
  }

  /** Gives the link its next request: repeats after a break first, then by priority. */
  #pump(): void {
    const { hello } = this
    if (this.#inFlight.sending !== null || hello === null || !this.#link.open) return
    const exchange =
      this.#inFlight.takeAgain() ??
      this.#queue.take((waiting, priority) =>
        this.#admission.mayGo(waiting, priority, this.#inFlight.byId, hello.inFlightMax),
      )
    if (exchange !== null) this.#transmit(exchange)
    else this.#awaitAirTime()
  }

  #transmit(exchange: Exchange): void {
    this.#inFlight.begin(exchange)
    this.#link.send(encodeRequest(exchange.id, exchange.request), exchange.sendsLeft)
  }

  /** Tries again when background requests may go. */
  #awaitAirTime(): void {
    this.#cancelAirTime()
    const waitMs = this.#admission.backgroundWaitMs
    if (this.#queue.size > 0 && waitMs > 0) this.#cancelAirTime = this.#options.clock.after(waitMs, () => this.#pump())
  }

  #settle(exchange: Exchange, result: Result<Reply, ExchangeFailure>): void {
    this.#inFlight.settle(exchange, result)
    this.#pump()
  }
}
