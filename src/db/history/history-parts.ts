import type { Db } from '../database.ts'
import type { HistoryWriter } from './history-writer.ts'
import type { Names } from './names.ts'

/** What every store of history.db works with. */
export interface HistoryParts {
  readonly db: Db
  readonly writer: HistoryWriter
  readonly names: Names
}
