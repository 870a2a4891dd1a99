/**
 * The specification as a list of rules that can be tested, and our decisions where it is silent.
 * Tests cite the ids (`verifies`, `proves` in test/support/gateway/verifies.ts); test/structure/requirements-gate.test.ts fails
 * for a rule that no test cites.
 */

/**
 * Which transports a rule is about: the test body runs over each. `all`: HTTPS, the stream, and the tools of agents
 * where they do the same; `both`: without the tools. `none`: what can be told without a request of the service.
 */
export type Transports = 'http' | 'stream' | 'both' | 'all' | 'none'

export interface Requirement {
  /** `4.rule3.unreachable`: section, point, subject. `devices.state-confirmed` for a decision: page, subject. */
  readonly id: string
  /** Where it is written: `Spec 4 rule 3`, `docs/devices.md`. */
  readonly source: string
  readonly sentence: string
  readonly transports: Transports
}

type Row = readonly [id: string, transports: Transports, sentence: string]

/** Rows of one place of the specification as requirements; `source` is what their ids begin with, spelled out. */
export function requirementsOf(source: string, rows: readonly Row[]): Requirement[] {
  return rows.map(([id, transports, sentence]) => ({ id, source, sentence, transports }))
}
