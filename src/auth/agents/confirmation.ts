import type { Cause } from '../../home/model/events.ts'

/**
 * An administrator's approval of one call by an agent or a record that asks (Spec 4 rule 2,
 * docs/agents.md#confirmation). The call itself requests it; after the approval the same call passes once. Times with
 * `steady` are steady time in ms, others epoch ms.
 */
export interface Confirmation {
  /** Id for people and the agent, who gets it too, to refer to the same call. */
  readonly id: string
  /** A credential, or the record of a person. */
  readonly link: string
  /** Target of the call: a device's key, or `scene:<id>@<revision>`. */
  readonly subject: string
  /** SHA-256 of credential, subject, operation and arguments. */
  readonly callSha256: Buffer
  readonly op: string
  /** Phrase for the administrator: `open lock "Front door" (HMLK front-door)`. */
  readonly what: string
  /** Six digits shown only to administrators. Entering them proves that an administrator agreed. */
  readonly code: string
  readonly wrongCodes: number
  readonly askedAt: number
  readonly steadyAskedAt: number
  readonly state: 'pending' | 'confirmed' | 'declined'
  readonly decision: { readonly steadyAt: number; readonly by: Cause } | null
}

/** Waiting time of a credential after wrong codes: the number of declined calls, and its end in steady ms. */
export interface GuessWait {
  readonly declines: number
  readonly until: number
}

/** Rows are found by the link of a credential or the id of a record, and are deleted with it. Writes run inside `UnitOfWork.change`. */
export interface GuessWaitStore {
  wait(link: string): GuessWait | null
  setWait(link: string, wait: GuessWait): void
  endWait(link: string): void
}

export interface ConfirmationStore extends GuessWaitStore {
  list(): readonly Confirmation[]
  insert(confirmation: Confirmation): void
  /** Stores state, wrong codes and decision. */
  update(confirmation: Confirmation): void
  remove(id: string): void
}
