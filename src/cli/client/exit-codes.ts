/** What a client command ends with, so that scripts know one trouble from another (docs/hm.md#exit-codes). */
export const EXIT_CODES = {
  /** What was typed: a name that nothing or more than one thing has, a value that is none. */
  typed: 1,
  /** There is no login, or its credential has ended. */
  login: 2,
  /** The gateway refused. */
  refused: 3,
  /** No gateway answered. */
  unreached: 4,
  /** What answered has another CA. */
  trust: 5,
  /** The unit, or the adapter that leads to it, does not answer. */
  unit: 6,
} as const
