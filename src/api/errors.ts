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

/** A refusal of a request. Code below the dispatcher throws it; the dispatcher answers with it. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: RefusalDetails

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(sentenceFor(code, details))
    this.code = code
    this.details = details
  }
}

/** Refusals after which a write may have taken effect. */
const MAY_BE_DONE: readonly ErrorCode[] = [
  'hmhc_unavailable',
  'unit_unreachable',
  'outcome_unknown',
  'internal',
  'gateway_timeout',
]

/** True if the error means that nothing was done. */
export function leavesUndone(error: unknown): boolean {
  return error instanceof StorageUnavailable || (error instanceof Refusal && !MAY_BE_DONE.includes(error.code))
}

/**
 * Refuses with one of the codes `C`, or with `validation`. A handler gets the codes of its endpoint, and shared
 * functions name the codes that they need. So an endpoint that does not declare them cannot call such a function.
 */
export type Refuse<C extends ErrorCode = never> = (code: C | 'validation', details?: RefusalDetails) => never

/** Refusal function of all handlers. */
export function refuse(code: ErrorCode, details?: RefusalDetails): never {
  throw new Refusal(code, details)
}

/** Result of `act`, or its refusal. Used for the parts of one call; `C` has the codes of one part. */
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
  'The disk failed while this was stored. The change is in effect now, but a power cut may undo it. Read the current state before you send it again.'

/**
 * Refuses a request during which the disk failed. The outcome of a write is unknown if it `mayBeMade`: something was
 * committed, or sent to a unit.
 */
export function failedMidway(error: unknown, declared: Endpoint, mayBeMade: boolean): never {
  if (error instanceof StorageUnavailable || !isStorageFailure(error) || !isWrite(declared)) throw error
  if (!mayBeMade) throw new StorageUnavailable(error)
  throw new Refusal('outcome_unknown')
}

/**
 * Waits until a change is on the disk. If the disk fails, the refusal does not call the change undone, because others
 * may have read it.
 */
export async function onDisk(storage: Pick<DeferredWork, 'onDisk'>): Promise<void> {
  try {
    await storage.onDisk()
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    throw new Refusal('outcome_unknown', { message: NOT_STORED })
  }
}

const TOO_MANY = 'Too many commands of this credential are waiting for their units. Wait and try again.'

/**
 * Refuses a failed command or setting (Spec 4 rule 3). Exhaustive, so that no failure is forgotten. `request` ends the
 * sentence `The unit refused …`.
 */
export function refuseFailure(
  failure: BusFailure | { readonly kind: 'not_there' },
  request: string,
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
      return refuse('validation', { message: `The unit refused ${request}: ${failure.detail}.` })
    case 'busy':
      return refuse('overloaded', retryAfter(failure.retryMs))
    case 'too_many':
      return refuse('rate_limited', { message: TOO_MANY, ...retryAfter(failure.retryMs) })
  }
}

/** Refuses a run of a scene that could not start. */
export function refuseRun(failure: RunFailure, refuse: Refuse<'hmhc_unavailable' | 'not_found'>): never {
  return failure.kind === 'not_there' ? refuse('not_found') : refuse('hmhc_unavailable', retryAfter(failure.retryMs))
}

/** Converts a known wait to seconds; at least one. */
function retryAfter(ms: number | undefined): RefusalDetails {
  return ms === undefined ? {} : { retryAfter: Math.max(1, Math.ceil(ms / 1000)) }
}
