import type { BusFailure } from '../home/ports/unit-bus.ts'
import { Refusal } from './errors.ts'

/**
 * How a failed command or setting is refused (Spec 4 rule 3): exhaustive, so that a new failure cannot be forgotten.
 * `asked` ends the sentence `The unit refused …`.
 */
export function unitRefusal(failure: BusFailure | { readonly kind: 'not_there' }, asked: string): Refusal {
  switch (failure.kind) {
    case 'unavailable':
      return new Refusal('hmhc_unavailable')
    case 'no_answer':
    case 'unknown_unit':
      return new Refusal('unit_unreachable')
    case 'refused':
      return new Refusal('validation', { message: `The unit refused ${asked}: ${failure.detail}.` })
    case 'busy':
      return new Refusal('overloaded', { retryAfter: Math.max(1, Math.ceil(failure.retryMs / 1000)) })
    case 'not_there':
      return new Refusal('not_found')
  }
}
