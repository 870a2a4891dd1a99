import type { Causes } from './causes.ts'
import type { HistoryFile } from './history-file.ts'
import type { HistoryWriter } from './history-writer.ts'
import type { Misdated } from './misdated.ts'
import type { SubjectNumbers } from './subject-numbers.ts'

/** Shared collaborators of the stores in history.db. */
export interface HistoryParts {
  readonly db: HistoryFile
  readonly writer: HistoryWriter
  readonly names: SubjectNumbers
  readonly causes: Causes
  readonly misdated: Misdated
}

/** A store of some tables in history.db. */
export class HistoryStore {
  protected readonly parts: HistoryParts

  constructor(parts: HistoryParts) {
    this.parts = parts
  }
}

/** Yields all rows in pages; `read` gets the last row of the previous page. */
export function* paged<R>(read: (last: R | undefined) => readonly R[]): Generator<R> {
  for (let rows = read(undefined); rows.length > 0; rows = read(rows.at(-1))) yield* rows
}
