import type { IntentBase, IntentContext, ReadOnlyIntent, WritableIntent } from './intent.ts'
import type { Coding, WritableCoding } from './coding/coding.ts'
import type { Json } from './shape.ts'

type Optional = 'gangs' | 'explainRank' | 'unit' | 'meanings' | 'unsaid'

/** What a definition says itself; the rest follows from its access. */
type Words = Omit<IntentBase, 'errors' | 'examples' | 'prerequisites' | Optional> &
  Partial<Pick<IntentBase, 'prerequisites' | Optional>>

const CHANGE_ERRORS = ['config_not_allowed', 'not_found', 'validation', 'unit_unreachable', 'hmhc_unavailable'] as const
const REFUSED_CHANGE_ERRORS = ['config_not_allowed', 'not_found', 'not_offered'] as const

/** Codings are made once for each context: listing a large home asks for them thousands of times. */
function oncePerContext<C extends Coding>(make: (context: IntentContext) => C): (context: IntentContext) => C {
  const made = new Map<IntentContext, C>()
  return (context) => {
    const known = made.get(context)
    if (known !== undefined) return known
    const coding = make(context)
    made.set(context, coding)
    return coding
  }
}

/** An intent that the API can change. Each example is what a person says and the value that it means. */
export function writable(
  words: Words & {
    readonly examples: readonly { readonly ask: string; readonly value: Json }[]
    readonly coding: (context: IntentContext) => WritableCoding
  },
): WritableIntent {
  return {
    gangs: [],
    explainRank: null,
    unit: '',
    meanings: {},
    unsaid: [],
    ...words,
    coding: oncePerContext(words.coding),
    prerequisites: ['The integration has advanced_config set to read_write.', ...(words.prerequisites ?? [])],
    errors: CHANGE_ERRORS,
    examples: words.examples.map(({ ask, value }) => ({
      ask,
      call: `PUT /v1/devices/{id}/intents/${words.id} ${JSON.stringify({ value })}`,
    })),
    access: 'read_write',
  }
}

/** An intent that is shown but changed in the app alone. Each example is a question that reading answers. */
export function readOnly(
  words: Words & {
    readonly asks: readonly string[]
    readonly guidance: string
    readonly coding: (context: IntentContext) => Coding
  },
): ReadOnlyIntent {
  const { asks, ...rest } = words
  return {
    gangs: [],
    explainRank: null,
    unit: '',
    meanings: {},
    unsaid: [],
    ...rest,
    coding: oncePerContext(rest.coding),
    prerequisites: ['The integration has advanced_config set to read or read_write.', ...(words.prerequisites ?? [])],
    errors: REFUSED_CHANGE_ERRORS,
    examples: asks.map((ask) => ({ ask, call: 'GET /v1/devices/{id}/intents' })),
    access: 'read_only',
    appAction: 'unit.menus',
  }
}
