import { z } from 'zod'
import { LOG_LEVELS } from '../../lib/log.ts'
import { LOG_LINES_MAX } from '../../lib/log-lines.ts'
import { epochMs } from '../../api/contract/fields.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { count, text } from './shapes.ts'

/** Lines of an answer where nobody says how many. */
const LINES_USUAL = 200

const LineLevel = z.enum(['error', 'warn', 'info', 'debug'])

const Line = z
  .looseObject({
    seq: count('Its number; later ones have higher numbers, and a restart begins anew.'),
    at: epochMs('When it was written.'),
    level: LineLevel.meta({ description: 'How grave it is.' }),
    what: text('One sentence.'),
    fields: z.record(z.string(), z.unknown()).meta({ description: 'Facts beside it.' }),
  })
  .meta({ id: 'LogLine', description: 'A line of the log.' })
export type LogLineView = Plain<z.output<typeof Line>>

const Level = z.enum(LOG_LEVELS).meta({ description: 'Lines of this level and graver ones are written.' })
const whole = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`))
    .transform(Number)

/** The log, as far as it is in memory. */
export const log = {
  'log.list': endpoint('GET', '/admin/v1/log', {
    summary: 'The newest lines of the log, the oldest first, as far as they are in memory',
    query: z.strictObject({
      level: LineLevel.optional().meta({ description: 'Lines of this level and graver ones.' }),
      since: whole(16).optional().meta({ description: 'Lines from then on, epoch ms.' }),
      after: whole(16).optional().meta({ description: 'Lines after the one of this `seq`.' }),
      limit: whole(4)
        .pipe(z.int().min(1).max(LOG_LINES_MAX))
        .default(LINES_USUAL)
        .meta({ description: 'So many of them at most: the newest.' }),
    }),
    answer: z.looseObject({
      level: Level,
      run: text('Another one after each start, which gives lines new numbers.'),
      lines: z.array(Line).meta({ description: 'The lines.' }),
    }),
  }),
  'log.level': endpoint('PUT', '/admin/v1/log/level', {
    summary: 'Change what is written to the log, until the next start',
    body: z.strictObject({ level: Level }),
    answer: z.looseObject({ level: Level }),
  }),
} as const
