import type { Doing, PersonPlan } from '../house-plan.ts'

/** Where somebody is and what for. */
export interface Whereabouts {
  readonly person: PersonPlan
  doing: Doing
  room: string | null
}
