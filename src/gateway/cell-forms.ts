import * as z from 'zod'
import type { CellForms } from '../db/core/cells.ts'
import { isTimeZone } from '../home/house/house-file.ts'
import { parseTariffs } from '../home/record/tariff.ts'
import { DEFINITION_SCHEMAS, sceneStepsSchema, stepSchema } from '../home/rules/schema.ts'

const runSteps = z.array(stepSchema)

/** What the home takes of what core.db holds: all else there is damage. */
export const cellForms: CellForms = {
  sceneSteps: (value) => sceneStepsSchema.safeParse(value).success,
  runSteps: (value) => runSteps.safeParse(value).success,
  definition: (kind, value) => DEFINITION_SCHEMAS[kind].safeParse(value).success,
  tariff: (value) => parseTariffs(value).ok,
  timeZone: (value) => typeof value === 'string' && isTimeZone(value),
}
