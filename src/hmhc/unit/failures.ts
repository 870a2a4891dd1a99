import type { BusFailure } from '../../home/ports/unit-bus.ts'
import type { ExchangeFailure } from '../exchange/exchange.ts'
import { QUEUE_WAIT_MS } from '../exchange/exchange-runner.ts'
import type { NotDone, RefusalDetail } from '../message/messages.ts'

/** Why a request failed, as the home's port names it: one table for failures of the exchange and of the adapter. */

const BUSY_RETRY_MS = 1_000

const UNAVAILABLE: BusFailure = { kind: 'unavailable' }
export const NO_ANSWER: BusFailure = { kind: 'no_answer' }
export const UNKNOWN_UNIT: BusFailure = { kind: 'unknown_unit' }
export const refused = (detail: string): BusFailure => ({ kind: 'refused', detail })
/** `retryMs`: when a lost line is tried again, where that is known. */
export const unavailable = (retryMs: number | null): BusFailure =>
  retryMs === null ? UNAVAILABLE : { kind: 'unavailable', retryMs }

const REFUSALS: Readonly<Record<RefusalDetail, string>> = {
  other: 'the unit refuses it',
  not_offered: 'the unit does not have this operation',
  out_of_range: 'the value is outside what the unit takes',
  protection: 'the unit protects itself from overload or heat',
  mode: "the unit's present mode does not allow it",
  no_gang: 'the unit has no such gang',
  no_register: 'the unit does not have this setting',
  read_only: 'the setting cannot be written',
  blocked: 'it is blocked and cannot move',
  calibrating: 'the unit is calibrating itself',
}

export function ofExchange(failure: ExchangeFailure): BusFailure {
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
      // Nobody's request waits longer than that.
      return { kind: 'too_many', retryMs: QUEUE_WAIT_MS.person }
  }
}

export function ofReply(reply: NotDone): BusFailure {
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
