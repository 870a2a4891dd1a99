import type { ExportTable } from '../home/record/csv-export.ts'
import { readTariffFile } from '../home/record/tariff.ts'
import type { Tariffs } from '../home/record/tariffs.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminHandlersOf } from './dispatch.ts'

export interface RecordAdminParts {
  readonly tariffs: Pick<Tariffs, 'content' | 'set' | 'clear'>
  /** Writes a table of the history as CSV to a file that must not exist yet; throws a sentence otherwise. */
  readonly exportHistory: (
    table: ExportTable,
    from: number,
    to: number,
    file: string,
  ) => Promise<{ readonly rows: number; readonly bytes: number }>
}

type RecordNames = 'tariff.show' | 'tariff.set' | 'tariff.clear' | 'history.export'

export function recordAdminHandlers({
  tariffs,
  exportHistory,
}: RecordAdminParts): AdminHandlersOf<Pick<AdminContract, RecordNames>> {
  return {
    'tariff.show': () => ({ tariff: tariffs.content() }),
    'tariff.set': async ({ body, cause, refuse }) => {
      const content = readTariffFile(body.file)
      if (!content.ok) return refuse('validation', { message: content.error })
      const set = await tariffs.set(content.value, cause)
      if (!set.ok) return refuse('validation', { message: set.error })
      return { tariffs: set.value.tariffs.map((tariff) => tariff.name) }
    },
    'tariff.clear': async ({ cause }) => {
      await tariffs.clear(cause)
      return { tariff: null }
    },
    'history.export': async ({ body, refuse }) => {
      try {
        return {
          file: body.file,
          ...(await exportHistory(body.table, body.from ?? 0, body.to ?? Number.MAX_SAFE_INTEGER, body.file)),
        }
      } catch (error) {
        return refuse('validation', {
          message: `The history could not be exported: ${error instanceof Error ? error.message : 'unknown reason'}.`,
        })
      }
    },
  }
}
