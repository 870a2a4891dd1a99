/** Revisions that a home has given to its scenes, automations and schedules. */
export interface GivenRevisions {
  /**
   * No object ever had a higher revision: neither a deleted one, nor one whose edits a restore took back. It may be
   * some hundreds higher than the highest revision in use.
   */
  readonly highest: number
  /** Revision that the last restore raised every object to; 0 before the first. */
  readonly raisedTo: number
}

/**
 * Revision of an object that comes into the home under an id it may have had before: by an import, by a restore. A
 * client that kept an earlier revision of that id must get 409 `revision_mismatch`, so the answer is above every
 * revision given so far. `wanted`, such as the revision in a house file, is kept where it is high enough.
 *
 * An object that is in the home already needs no mark: its own revision is the highest that its id ever had. An import
 * takes `max(own, file) + 1` there where the content differs, and `own` where it does not.
 */
export function freshRevision({ highest }: Pick<GivenRevisions, 'highest'>, wanted = 1): number {
  return wanted > highest ? wanted : highest + 1
}
