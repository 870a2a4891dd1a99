import * as z from 'zod'
import { ANY_DEVICE, GROUP_WORDS } from '../model/groups.ts'
import { URGENCIES } from '../model/recipients.ts'
import {
  CONDITION_DEPTH_MAX,
  CONDITIONS_MAX,
  DELAY_SECONDS_MAX,
  EVERY_SECONDS_MAX,
  FOR_SECONDS_MAX,
  GROUP_QUANTIFIERS,
  RANDOM_MINUTES_MAX,
  RUN_MODES,
  STEP_DEPTH_MAX,
  STEPS_MAX,
  TELL_CHARACTERS_MAX,
  TELL_TO,
  TIMES_MAX,
  TRIGGERS_MAX,
  WAIT_SECONDS_MAX,
} from '../model/rules.ts'
import { conditionSchema } from './condition-schema.ts'
import { atSchema, triggerSchema } from './schema.ts'
import { stepSchema } from './step-schema.ts'

/** One form of a part of a rule. */
export interface RuleForm {
  /** Name of its schema in the documents. */
  readonly form: string
  readonly description: string
  /** A valid part in the demo home, with local ids. */
  readonly example: Readonly<Record<string, unknown>>
}

/** All forms of the parts of rules, by the field of a body that holds them. */
export const FORMS = {
  when: formsOf(triggerSchema),
  if: formsOf(conditionSchema),
  then: formsOf(stepSchema),
  at: formsOf(atSchema),
} as const satisfies Readonly<Record<string, readonly RuleForm[]>>

/** Choices and bounds of the parts of rules, for agents beside the forms. */
export const FORM_FACTS = {
  ids: 'Examples have short ids like hall-light. Use whole ids, as the tool house lists them.',
  choices: {
    ...{ mode: RUN_MODES, to: TELL_TO, urgency: URGENCIES, days: [1, 2, 3, 4, 5, 6, 7] },
    ...{ group: [...GROUP_WORDS, ANY_DEVICE], of: GROUP_QUANTIFIERS },
  },
  limits: {
    triggers: TRIGGERS_MAX,
    conditions: CONDITIONS_MAX,
    conditionDepth: CONDITION_DEPTH_MAX,
    steps: STEPS_MAX,
    stepDepth: STEP_DEPTH_MAX,
    forSeconds: FOR_SECONDS_MAX,
    delaySeconds: DELAY_SECONDS_MAX,
    waitSeconds: WAIT_SECONDS_MAX,
    everySeconds: EVERY_SECONDS_MAX,
    times: TIMES_MAX,
    randomMinutes: RANDOM_MINUTES_MAX,
    tellCharacters: TELL_CHARACTERS_MAX,
  },
} as const

function formsOf(union: z.core.$ZodUnion): readonly RuleForm[] {
  return union._zod.def.options.map(formOf)
}

/** @throws Error for a form without a sentence and an example in its metadata */
function formOf(schema: z.core.$ZodType): RuleForm {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (def.type === 'pipe') return formOf(def.in)
  const { id, description, examples } = z.globalRegistry.get(schema) ?? {}
  const [example] = Array.isArray(examples) ? (examples as readonly RuleForm['example'][]) : []
  if (id === undefined || description === undefined || example === undefined)
    throw new Error(`The form ${id ?? '?'} of a rule's part needs an id, a description and an example.`)
  return { form: id, description, example }
}
