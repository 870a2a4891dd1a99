import * as z from 'zod'
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
