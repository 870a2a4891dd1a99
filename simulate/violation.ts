/** What must hold in every home at every moment; a violation names the one that did not. */
export const INVARIANTS = {
  answered: 'Every request is answered within a minute.',
  declared: 'Every refusal is one that the endpoint declares, and no answer is a defect.',
  admitted: 'Whoever is revoked, switched off or deleted is served nothing.',
  hidden: 'Nothing is told of what is hidden.',
  durable: 'Nothing acknowledged is lost, and a change that was cut off is there whole or not at all.',
  opened: 'Nothing opens without leave at that moment.',
  recorded: 'Every change has one row of activity, with its cause.',
  cached: 'At rest the cache equals the units.',
  once: 'Each occurrence of a schedule ran once, or is logged as missed.',
  bounded: 'Timers and waiting requests stay within their bounds.',
  kept: 'A wrong clock does not forget the history.',
  quiet: 'Nothing fails inside that no fault explains.',
} as const

export type Invariant = keyof typeof INVARIANTS

/** Ends a run. */
export class Violation extends Error {
  readonly invariant: Invariant

  constructor(invariant: Invariant, what: string) {
    super(what)
    this.invariant = invariant
  }
}
