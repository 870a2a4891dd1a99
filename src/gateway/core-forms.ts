import * as z from 'zod'
import type { CoreForms } from '../db/core/core-rows.ts'
import { isTimeZone } from '../home/house/house-file.ts'
import { LOCAL_ID } from '../home/model/house.ts'
import { plainText } from '../lib/plain-text.ts'
import { parseTariffs } from '../home/record/tariff.ts'
import { NAME_CHARACTERS_MAX } from '../home/rules/model.ts'
import { DEFINITION_SCHEMAS, sceneStepsSchema, stepSchema } from '../home/rules/schema.ts'

const NAME = plainText(NAME_CHARACTERS_MAX)
const runSteps = z.array(stepSchema)

/** The domain's checks of values in core.db. */
export const coreForms: CoreForms = {
  sceneSteps: (value) => sceneStepsSchema.safeParse(value).success,
  runSteps: (value) => runSteps.safeParse(value).success,
  definition: (kind, value) => DEFINITION_SCHEMAS[kind].safeParse(value).success,
  tariff: (value) => parseTariffs(value).ok,
  name: (value) => NAME.safeParse(value).success,
  localId: (value) => typeof value === 'string' && LOCAL_ID.test(value),
  timeZone: (value) => typeof value === 'string' && isTimeZone(value),
}
