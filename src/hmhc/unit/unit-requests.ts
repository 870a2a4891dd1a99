import type { BusFailure } from '../../home/ports/unit-bus.ts'
import type { ExchangeFailure, SendOptions } from '../exchange/exchange.ts'
import { QUEUE_WAIT_MS, type ExchangeRunner } from '../exchange/exchange-runner.ts'
import type { NotDone, RefusalDetail, DoneOf, Request, RequestName, RequestOf } from '../message/messages.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { Count, LinkCounters } from '../exchange/link.ts'
import type { UnitChange, UnitRegistry } from './unit-registry.ts'

/** Maps failures of the exchange and of the adapter to the home's port, in one table. */

const BUSY_RETRY_MS = 1_000

const UNAVAILABLE: BusFailure = { kind: 'unavailable' }
export const NO_ANSWER: BusFailure = { kind: 'no_answer' }
export const UNKNOWN_UNIT: BusFailure = { kind: 'unknown_unit' }
export const refused = (detail: string): BusFailure => ({ kind: 'refused', detail })
/** `retryMs`: time until a lost line is tried again, if known. */
export const unavailable = (retryMs: number | null): BusFailure =>
  retryMs === null ? UNAVAILABLE : { kind: 'unavailable', retryMs }

const REFUSALS: Readonly<Record<RefusalDetail, string>> = {
  other: 'the unit refuses it',
  not_offered: 'the unit does not have this operation',
  out_of_range: 'the value is outside the range of the unit',
  protection: 'the unit protects itself from overload or heat',
  mode: "the unit's present mode does not allow it",
  no_gang: 'the unit has no such gang',
  no_register: 'the unit does not have this setting',
  read_only: 'the setting cannot be written',
  blocked: 'it is blocked and cannot move',
  calibrating: 'the unit is calibrating itself',
}

function ofExchange(failure: ExchangeFailure): BusFailure {
  switch (failure) {
    case 'link_down':
    case 'link_lost':
    case 'restarted':
    case 'radio_down':
    case 'unsound_reply':
      return UNAVAILABLE
    case 'no_reply':
    case 'unit_silent':
      return NO_ANSWER
    case 'waited_too_long':
    case 'queue_full':
      return { kind: 'busy', retryMs: BUSY_RETRY_MS }
    case 'too_many':
      // No request waits longer than that.
      return { kind: 'too_many', retryMs: QUEUE_WAIT_MS.person }
  }
}

function ofReply(reply: NotDone): BusFailure {
  switch (reply.result) {
    case 'no_answer':
      return NO_ANSWER
    case 'unknown_unit':
      return UNKNOWN_UNIT
    case 'radio_down':
      return UNAVAILABLE
    case 'bad_request':
      return refused('the adapter does not know this request')
    case 'busy':
      return { kind: 'busy', retryMs: reply.retryMs }
    case 'refused':
      return refused(REFUSALS[reply.detail])
  }
}

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
  /** A sent command lost its reply: the unit may still execute it. */
  onCutOff(address: number): void
  /** The adapter does not know one of our units. */
  onUnknownUnit(): void
}

interface UnitRequestsParts {
  readonly exchange: ExchangeRunner
  readonly registry: UnitRegistry
  readonly counters: LinkCounters
  readonly observer: UnitObserver
}

/** Sends requests to one unit, unless its breaker is open, and updates breaker and reachability with the outcome. */
export class UnitRequests {
  readonly #parts: UnitRequestsParts

  constructor(parts: UnitRequestsParts) {
    this.#parts = parts
  }

  /** The immediate failure of a unit with an open breaker; null for others. */
  leftAlone(address: number): BusFailure | null {
    return this.#parts.registry.breaker(address)?.open === true ? this.#noAnswer(address) : null
  }

  /** Like `leftAlone`, for a real request, which counts. */
  failsFast(address: number): BusFailure | null {
    const failure = this.leftAlone(address)
    if (failure) this.#parts.counters.add('failedFast')
    return failure
  }

  async ask<N extends RequestName>(
    request: RequestOf<N> & Extract<Request, { readonly address: number }>,
    options: SendOptions,
  ): Promise<Result<DoneOf<N>, BusFailure>> {
    const { address } = request
    const failure = this.failsFast(address)
    if (failure) return fail(failure)
    const reply = await this.#parts.exchange.send<N>(request, options)
    if (!reply.ok) {
      if (request.name === 'control') this.cutOff(reply.error, [address])
      return fail(this.noReply(reply.error, [address]))
    }
    // `result` distinguishes the two; the compiler does not narrow the union of a generic name.
    if (reply.value.result !== 'done') return fail(this.notDone(address, reply.value as NotDone))
    this.answered(address)
    return ok(reply.value)
  }

  /** Maps a failure of the exchange; a missing reply counts as a silence of its units. */
  noReply(failure: ExchangeFailure, addresses: readonly number[]): BusFailure {
    if (failure === 'no_reply') for (const address of addresses) this.#silent(address)
    const busFailure = ofExchange(failure)
    this.#parts.counters.add(COUNTED_AS[busFailure.kind])
    if (busFailure.kind === 'unavailable') return unavailable(this.#parts.exchange.retryMs)
    const [only] = addresses
    return busFailure.kind === 'no_answer' && only !== undefined ? this.#noAnswer(only) : busFailure
  }

  /** Records commands that failed while the adapter had them and may have forwarded them. */
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

  /** Counts the refusal and maps it to a failure of the home's port. */
  notDone(address: number, reply: NotDone): BusFailure {
    const failure = ofReply(reply)
    this.#parts.counters.add(COUNTED_AS[failure.kind])
    if (failure.kind === 'unknown_unit') this.#parts.observer.onUnknownUnit()
    if (failure.kind !== 'no_answer') return failure
    this.#silent(address)
    return this.#noAnswer(address)
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
