import type { BusFailure } from '../../home/ports/unit-bus.ts'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import type { Count, Counters } from '../exchange/link.ts'
import type { ExchangeFailure, SendOptions } from '../exchange/exchange.ts'
import type { ExchangeRunner } from '../exchange/exchange-runner.ts'
import type { DoneOf, NotDone, Request, RequestName, RequestOf } from '../message/messages.ts'
import { NO_ANSWER, ofExchange, ofReply, unavailable } from './failures.ts'
import type { UnitChange, UnitRegistry } from './unit-registry.ts'

const COUNTED_AS = {
  unavailable: 'unavailable',
  no_answer: 'noAnswer',
  refused: 'refused',
  unknown_unit: 'unknownUnit',
  busy: 'busy',
  too_many: 'busy',
} as const satisfies Record<BusFailure['kind'], Count>

export interface UnitObserver {
  onUnitChange(change: UnitChange): void
  /** A unit that may have been out of reach has answered. */
  onSpeaksAgain(address: number): void
  /** A command was on its way when its answer became impossible: the unit may yet carry it out. */
  onCutOff(address: number): void
  /** The adapter does not know a unit that we know. */
  onUnknownUnit(): void
}

interface UnitRequestsParts {
  readonly exchange: ExchangeRunner
  readonly registry: UnitRegistry
  readonly counters: Counters
  readonly observer: UnitObserver
}

/** Sends requests to one unit, unless its breaker is open, and updates breaker and reachability by the outcome. */
export class UnitRequests {
  readonly #parts: UnitRequestsParts

  constructor(parts: UnitRequestsParts) {
    this.#parts = parts
  }

  /** The failure at once of a unit that has just been silent several times; null for others. */
  leftAlone(address: number): BusFailure | null {
    return this.#parts.registry.breaker(address)?.open === true ? this.#noAnswer(address) : null
  }

  /** The same for a request that is made, which is counted. */
  failsFast(address: number): BusFailure | null {
    const failure = this.leftAlone(address)
    if (failure) this.#parts.counters.add('failedFast')
    return failure
  }

  async ask<N extends RequestName>(
    address: number,
    request: RequestOf<N> & Request,
    options: SendOptions,
  ): Promise<Result<DoneOf<N>, BusFailure>> {
    const failure = this.failsFast(address)
    if (failure) return fail(failure)
    const reply = await this.#parts.exchange.send<N>(request, options)
    if (!reply.ok) {
      if (request.name === 'control') this.cutOff(reply.error, [address])
      return fail(this.noReply(reply.error, [address]))
    }
    // `result` distinguishes the two; the compiler does not narrow the union of a generic name by it.
    if (reply.value.result !== 'done') return fail(this.notDone(address, reply.value as NotDone))
    this.answered(address)
    return ok(reply.value)
  }

  /** What the exchange failed with; a missing reply counts as a silence of the units it was for. */
  noReply(failure: ExchangeFailure, addresses: readonly number[]): BusFailure {
    if (failure === 'no_reply') for (const address of addresses) this.#silent(address)
    const busFailure = ofExchange(failure)
    this.#parts.counters.add(COUNTED_AS[busFailure.kind])
    if (busFailure.kind === 'unavailable') return unavailable(this.#parts.exchange.retryMs)
    const [only] = addresses
    return busFailure.kind === 'no_answer' && only !== undefined ? this.#noAnswer(only) : busFailure
  }

  /** Commands that failed while the adapter had them, perhaps sent on by then. */
  cutOff(failure: ExchangeFailure, addresses: readonly number[]): void {
    if (failure !== 'restarted' && failure !== 'link_lost') return
    for (const address of addresses) this.#parts.observer.onCutOff(address)
  }

  answered(address: number): void {
    const { counters, registry, observer } = this.#parts
    counters.add('done')
    if (registry.speaks(address, false)) observer.onSpeaksAgain(address)
    const change = registry.seen(address)
    if (change !== null) observer.onUnitChange(change)
  }

  /** Counts why the request was not done, and answers it as a failure of the home's port. */
  notDone(address: number, reply: NotDone): BusFailure {
    const failure = ofReply(reply)
    switch (failure.kind) {
      case 'no_answer':
        this.#parts.counters.add('noAnswer')
        this.#silent(address)
        return this.#noAnswer(address)
      case 'unknown_unit':
        this.#parts.counters.add('unknownUnit')
        this.#parts.observer.onUnknownUnit()
        break
      case 'refused':
      case 'busy':
      case 'too_many':
      case 'unavailable':
        this.#parts.counters.add(COUNTED_AS[failure.kind])
        break
    }
    return failure
  }

  #noAnswer(address: number): BusFailure {
    const retryMs = this.#parts.registry.breaker(address)?.openForMs ?? 0
    return retryMs > 0 ? { kind: 'no_answer', retryMs } : NO_ANSWER
  }

  #silent(address: number): void {
    const change = this.#parts.registry.silent(address)
    if (this.#parts.registry.breaker(address)?.open === true) this.#parts.exchange.dropUnit(address)
    if (change !== null) this.#parts.observer.onUnitChange(change)
  }
}
