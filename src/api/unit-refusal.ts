import type { BusFailure } from '../home/ports/unit-bus.ts'
import type { RefusalDetails, Refuse } from './errors.ts'

/**
 * How a failed command or setting is refused (Spec 4 rule 3): exhaustive, so that a new failure cannot be forgotten.
 * `asked` ends the sentence `The unit refused …`.
 */
export function refuseFailure(
  failure: BusFailure | { readonly kind: 'not_there' },
  asked: string,
  refuse: Refuse<'hmhc_unavailable' | 'unit_unreachable' | 'overloaded' | 'not_found'>,
): never {
  switch (failure.kind) {
    case 'unavailable':
      return refuse('hmhc_unavailable')
    case 'no_answer':
      return refuse('unit_unreachable', failure.retryMs === undefined ? {} : retryAfter(failure.retryMs))
    case 'unknown_unit':
      return refuse('unit_unreachable')
    case 'refused':
      return refuse('validation', { message: `The unit refused ${asked}: ${failure.detail}.` })
    case 'busy':
      return refuse('overloaded', retryAfter(failure.retryMs))
    case 'not_there':
      return refuse('not_found')
  }
}

function retryAfter(ms: number): RefusalDetails {
  return { retryAfter: Math.max(1, Math.ceil(ms / 1000)) }
}
