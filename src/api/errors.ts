import { StorageUnavailable } from '../home/ports/activity-log.ts'
import {
  errorBody,
  type ErrorCode,
  type Naming,
  type RefusalDetails,
  type Refused,
  sentenceFor,
} from '../wire/errors.ts'

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
