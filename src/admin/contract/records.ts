import { z } from 'zod'
import { EXPORT_TABLES } from '../../home/record/csv-export.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { epochMs } from '../../api/contract/fields.ts'
import { count, FilePath } from './shapes.ts'

/** The tariff, and the history as files. */
export const records = {
  'tariff.show': endpoint('GET', '/admin/v1/tariff', {
    summary: 'What electricity costs, as it was set',
    answer: z.looseObject({
      tariff: z.unknown().meta({ description: 'What the file held that it was set from; null: none is set.' }),
    }),
  }),
  'tariff.set': endpoint('PUT', '/admin/v1/tariff', {
    summary: 'Take the tariff from a file; all costs are worked out anew',
    body: z.strictObject({
      file: z
        .string()
        .max(256 * 1024)
        .meta({ description: 'The content of the file, YAML.' }),
    }),
    answer: z.looseObject({ tariffs: z.array(z.string()).meta({ description: 'Their names, the oldest first.' }) }),
  }),
  'tariff.clear': endpoint('DELETE', '/admin/v1/tariff', {
    summary: 'Forget the tariff',
    answer: z.looseObject({ tariff: z.null().meta({ description: 'There is none.' }) }),
  }),
  'history.export': endpoint('POST', '/admin/v1/history/export', {
    summary: 'Write a table of the history to a new CSV file',
    reach: 'socket',
    body: z.strictObject({
      table: z.enum(EXPORT_TABLES).meta({ description: 'Which table.' }),
      file: FilePath,
      from: epochMs('Rows from then on.').min(0).optional(),
      to: epochMs('Rows before then.').min(0).optional(),
    }),
    answer: z.looseObject({
      file: FilePath,
      rows: count('Rows that were written.'),
      bytes: count('The size of the file in bytes.'),
    }),
  }),
} as const
