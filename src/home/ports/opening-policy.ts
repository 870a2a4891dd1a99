import type { Origin } from '../model/house.ts'

/** On whose authority a run opens: who saved what it does, or who asked for it. */
export interface Principal extends Origin {
  /** The administrator who confirmed this one run, where an agent asked for it. */
  readonly confirmedBy?: string
}

/** Why somebody may not open locks and gates. `unconfirmed`: an agent, and nobody confirmed this run. */
export type OpeningRefusal =
  | 'integration_deleted'
  | 'integration_disabled'
  | 'unlock_off'
  | 'credential_ended'
  | 'unconfirmed'

/** Who may open locks and gates (Spec 4 rule 2), as of now: nothing is remembered from one question to the next. */
export interface OpeningPolicy {
  /** Null where the principal may. */
  refusalOf(principal: Principal): OpeningRefusal | null
}
