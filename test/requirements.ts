/**
 * The specification as a list of rules that can be tested, and the decisions (D1 to D9, docs/decisions) where it is silent.
 * Tests cite the ids (`verifies`, `proves` in test/support/gateway/verifies.ts); test/requirements-gate.test.ts fails for a rule of a delivered
 * issue that no test cites.
 */

/** Which transports a rule is about: the test body runs over each. `all`: HTTPS, the stream, and the tools of agents where they do the same; `both`: without the tools. `none`: what can be told without a request of the service. */
export type Transports = 'http' | 'stream' | 'both' | 'all' | 'none'

/** The issue that delivers a rule. `later`: cloud relay, OAuth, console. */
export type Issue = 2 | 3 | 4 | 5 | 6 | 'later'

export interface Requirement {
  /** `4.rule3.unreachable`: section, point, what it is about. `D4.state-confirmed` for a decision. */
  readonly id: string
  /** Where it is written: `Spec 4 rule 3`, `D4`. */
  readonly source: string
  readonly sentence: string
  readonly transports: Transports
  readonly issue: Issue
}

/** Issues whose rules the gate holds the tests to. */
export const DELIVERED: readonly Issue[] = [2, 3, 4, 5, 6]

type Row = readonly [id: string, transports: Transports, issue: Issue, sentence: string]

/** Rows of one place of the specification as requirements; `source` is what their ids begin with, spelled out. */
export function requirementsOf(source: string, rows: readonly Row[]): Requirement[] {
  return rows.map(([id, transports, issue, sentence]) => ({ id, source, sentence, transports, issue }))
}
