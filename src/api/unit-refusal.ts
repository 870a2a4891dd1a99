import type { RunFailure, BusFailure } from '../home/ports/unit-bus.ts'
import type { Refuse } from './errors.ts'
import type { RefusalDetails } from '../wire/errors.ts'

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
