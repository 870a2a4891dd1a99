import { z } from 'zod'
import { typeOfReading, typeOfState } from '../home/rules/possible.ts'
import { STATE_FIELDS } from '../home/rules/model.ts'
import { conditionSchema, triggerSchema } from '../home/rules/schema.ts'
import { READING_KINDS } from '../home/model/state.ts'

/** The shape of `is` by the type of what it is compared with. */
const IS = { boolean: z.boolean(), number: z.number(), string: z.string() } as const
const TYPES = ['boolean', 'number', 'string'] as const

/** A form of triggers or conditions, once for each type of the tested values. Other forms stay as they are. */
function typed(form: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (!(form instanceof z.ZodObject)) return [form]
  const { state, reading } = form.shape
  if (state === undefined && reading === undefined) return [form]
  return TYPES.flatMap((type) => {
    const names: readonly string[] =
      state === undefined
        ? READING_KINDS.filter((kind) => typeOfReading(kind) === type)
        : STATE_FIELDS.filter((field) => typeOfState(field) === type)
    if (names.length === 0) return []
    const tested = { [state === undefined ? 'reading' : 'state']: z.literal(names), is: IS[type].optional() }
    return [form.safeExtend(tested)]
  })
}

const typedList = (forms: readonly z.core.$ZodType[]): z.ZodOptional =>
  z.array(z.union(forms.flatMap(typed))).optional()
const WHEN = typedList(triggerSchema.options)
const IF = typedList(conditionSchema.options)

/**
 * The body of an automation, in which `is` has the type of the state or reading that it is compared with. Such a body
 * tells which texts are meant as numbers or as true and false.
 */
export function withTypedTests(body: z.ZodObject): z.ZodObject {
  return z.strictObject({ ...body.shape, when: WHEN, if: IF })
}
