/** What must hold in every home at every moment; a violation names the one that did not. */
export const INVARIANTS = {
  answered: 'Every request is answered within a minute.',
  declared: 'Every refusal is one that the endpoint declares, and no answer is a defect.',
  admitted: 'Whoever is revoked, switched off or deleted is served nothing.',
  hidden: 'Nothing is told of what is hidden.',
  same: 'An integration is told the same bytes in two homes that differ only in what it does not see.',
  durable: 'Nothing acknowledged is lost, and a change that was cut off is there whole or not at all.',
  copied: 'The newest safety copy has what has been configured for a while.',
  opened: 'Nothing opens without leave at that moment.',
  recorded: 'Every change has one row of activity, with its cause.',
  cached: 'At rest the cache equals the units.',
  once: 'Each occurrence of a schedule ran once, or is logged as missed.',
  bounded: 'Nothing piles up, and what is kept stays within its bounds.',
  kept: 'A wrong clock does not forget the history.',
  replaced: 'Nothing shows what another unit reported that the same id named before.',
  current: 'After a change of the house or a fault, every unit that answers has its state in time.',
  billed: 'Energy and cost are what each physical unit used while it was the unit of the house.',
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

/** A violation as it is; any other error is one of the invariant `quiet`. */
export function violationOf(error: unknown): Violation {
  if (error instanceof Violation) return error
  return new Violation('quiet', error instanceof Error ? (error.stack ?? error.message) : String(error))
}
