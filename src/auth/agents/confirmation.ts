import type { Cause } from '../../home/model/events.ts'

/**
 * An administrator's approval of one call of one agent (Spec 4 rule 2, docs/agents.md#confirmation): the call itself
 * asks for it, an administrator answers, and that same call passes once. Times with `steady` are steady time in ms,
 * others epoch ms.
 */
export interface Confirmation {
  /** Public: the agent gets it too, so that people speak of the same call. */
  readonly id: string
  readonly link: string
  /** What would be opened: a device's key, or `scene:<id>@<revision>`. */
  readonly subject: string
  /** Of credential, subject, operation and arguments. */
  readonly callSha256: Buffer
  readonly op: string
  /** In words, for the administrator: `open lock "Front door" (HMLK front-door)`. */
  readonly what: string
  /** Six digits that only administrators are shown: whoever enters them has spoken with one. */
  readonly code: string
  readonly wrongCodes: number
  readonly askedAt: number
  readonly steadyAskedAt: number
  readonly state: 'pending' | 'confirmed' | 'declined'
  readonly decision: { readonly steadyAt: number; readonly by: Cause } | null
}

/** Writes run inside `UnitOfWork.change`. */
/** How often wrong codes of a credential declined a call, and until when (steady ms) none of its codes is looked at. */
export interface GuessWait {
  readonly declines: number
  readonly until: number
}

/** By the link of the credential, with which the row ends. */
export interface GuessWaitStore {
  wait(link: string): GuessWait | null
  setWait(link: string, wait: GuessWait): void
  endWait(link: string): void
}

export interface ConfirmationStore extends GuessWaitStore {
  list(): readonly Confirmation[]
  insert(confirmation: Confirmation): void
  /** State, wrong codes and decision are what changes. */
  update(confirmation: Confirmation): void
  remove(id: string): void
}
