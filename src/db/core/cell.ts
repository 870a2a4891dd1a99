import type { RuleKind } from '../../home/rules/model.ts'

/** What the domain takes of what core.db holds; each is given what was stored, parsed where it is JSON. */
export interface CellForms {
  readonly sceneSteps: (value: unknown) => boolean
  readonly runSteps: (value: unknown) => boolean
  readonly definition: (kind: RuleKind, value: unknown) => boolean
  readonly tariff: (value: unknown) => boolean
  readonly timeZone: (value: unknown) => boolean
  /** What people call a thing. */
  readonly name: (value: unknown) => boolean
  /** An id inside the home. */
  readonly localId: (value: unknown) => boolean
}

type Row = Readonly<Record<string, unknown>>

/** A column whose content a reader relies on, and what becomes of a row in which it is damaged. */
export interface Cell {
  readonly table: string
  readonly key: readonly string[]
  readonly column: string
  /** Other text than JSON. */
  readonly plain?: true
  readonly sound: (value: unknown, row: Row, forms: CellForms) => boolean
  /** What is taken from the newest copy in which the cell is sound, as assignments; none where a copy is no help. */
  readonly mended: readonly string[]
  /** Where no copy helps: the row is `removed`, or these assignments are made. */
  readonly otherwise: string
  /** What is told of the row, and what became of it where no copy helped. */
  readonly words: readonly [what: string, otherwise: string]
}
