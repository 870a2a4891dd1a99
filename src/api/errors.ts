import { type DeferredWork, StorageUnavailable } from '../home/ports/activity-log.ts'
import {
  errorBody,
  type ErrorCode,
  type Naming,
  type RefusalDetails,
  type Refused,
  sentenceFor,
} from '../wire/errors.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'
import { type Endpoint, isWrite } from './contract/endpoint.ts'
import type { BusFailure, RunFailure } from '../home/ports/unit-bus.ts'

/** A refusal on its way to the caller. Thrown anywhere below the dispatcher, answered there. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: RefusalDetails

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(sentenceFor(code, details))
    this.code = code
    this.details = details
  }
}

/** Refusals after which a write may have been made all the same. */
const MAY_BE_DONE: readonly ErrorCode[] = [
  'hmhc_unavailable',
  'unit_unreachable',
  'outcome_unknown',
  'internal',
  'gateway_timeout',
]

/** Whether what was thrown says that nothing was done. */
export function leavesUndone(error: unknown): boolean {
  return error instanceof StorageUnavailable || (error instanceof Refusal && !MAY_BE_DONE.includes(error.code))
}

/**
 * Refuses with one of some codes, or with `validation`. A handler's has those that its endpoint declares; what a
 * handler calls names those that it needs, so that an endpoint which does not declare them cannot call it.
 */
export type Refuse<C extends ErrorCode = never> = (code: C | 'validation', details?: RefusalDetails) => never

/** The one that the pipeline hands to handlers. */
export function refuse(code: ErrorCode, details?: RefusalDetails): never {
  throw new Refusal(code, details)
}

/** What `act` answers, or how it refused; for calls of several parts, whose codes `C` are those of one part. */
export function attempt<C extends ErrorCode, T>(
  act: (refuse: Refuse<C>) => T,
  naming: Naming | undefined,
): T | Refused {
  try {
    return act(refuse)
  } catch (error) {
    if (error instanceof Refusal) return errorBody(error.code, error.details, naming)
    throw error
  }
}

const NOT_STORED =
  'The disk failed while this was stored: it is so now, but a power cut may take it back. Read what is so before you send it again.'

/**
 * Refuses a request during which the disk failed. The outcome of a write is unknown if it `mayBeMade`: something was
 * committed, or sent to a unit.
 */
export function failedMidway(error: unknown, declared: Endpoint, mayBeMade: boolean): never {
  if (error instanceof StorageUnavailable || !isStorageFailure(error) || !isWrite(declared)) throw error
  if (!mayBeMade) throw new StorageUnavailable(error)
  throw new Refusal('outcome_unknown')
}

/** Waits until a change is on the disk. A change that was made, and that others may have read, is not called undone. */
export async function onDisk(storage: Pick<DeferredWork, 'onDisk'>): Promise<void> {
  try {
    await storage.onDisk()
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    throw new Refusal('outcome_unknown', { message: NOT_STORED })
  }
}

const TOO_MANY = 'Too many commands of this credential wait for their units. Wait and try again.'

/**
 * How a failed command or setting is refused (Spec 4 rule 3): exhaustive, so that a new failure cannot be forgotten.
 * `asked` ends the sentence `The unit refused …`.
 */
export function refuseFailure(
  failure: BusFailure | { readonly kind: 'not_there' },
  asked: string,
  refuse: Refuse<'hmhc_unavailable' | 'unit_unreachable' | 'overloaded' | 'rate_limited' | 'not_found'>,
): never {
  switch (failure.kind) {
    case 'unavailable':
    case 'not_there':
      return refuseRun(failure, refuse)
    case 'no_answer':
      return refuse('unit_unreachable', retryAfter(failure.retryMs))
    case 'unknown_unit':
      return refuse('unit_unreachable')
    case 'refused':
      return refuse('validation', { message: `The unit refused ${asked}: ${failure.detail}.` })
    case 'busy':
      return refuse('overloaded', retryAfter(failure.retryMs))
    case 'too_many':
      return refuse('rate_limited', { message: TOO_MANY, ...retryAfter(failure.retryMs) })
  }
}

/** How a run of a scene is refused that could not begin. */
export function refuseRun(failure: RunFailure, refuse: Refuse<'hmhc_unavailable' | 'not_found'>): never {
  return failure.kind === 'not_there' ? refuse('not_found') : refuse('hmhc_unavailable', retryAfter(failure.retryMs))
}

/** Where it is known; at least a second. */
function retryAfter(ms: number | undefined): RefusalDetails {
  return ms === undefined ? {} : { retryAfter: Math.max(1, Math.ceil(ms / 1000)) }
}
