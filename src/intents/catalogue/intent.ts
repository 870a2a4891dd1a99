import { SWITCH_MODELS, type GangClass, type Model, type SwitchModel } from '../../home/model/device.ts'
import type { Coding, WritableCoding, Json } from '../coding/coding.ts'

/** What an intent is asked of: a whole unit, a module itself, or one gang of a module. */
type IntentScope = 'unit' | 'module' | 'gang'

/** The device that a value belongs to. `gangClass` is null unless `scope` is `gang`. */
export interface IntentContext {
  readonly model: SwitchModel
  readonly scope: IntentScope
  readonly gangClass: GangClass | null
}

export interface Example {
  /** A person's words. */
  readonly ask: string
  /** The request that answers them; `{id}` stands for the device's id from the house. */
  readonly call: string
}

/** One unit setting in user terms (Spec 2.7), and where it applies. */
export interface IntentBase {
  readonly id: string
  readonly title: string
  readonly meaning: string
  readonly when: string
  readonly notWhen: string
  readonly prerequisites: readonly string[]
  readonly sideEffects: string
  readonly errors: readonly string[]
  readonly examples: readonly Example[]
  readonly models: readonly SwitchModel[]
  /** The gangs of a module that have it, by class; empty where it belongs to the module itself or no module has it. */
  readonly gangs: readonly GangClass[]
  /**
   * Its place among the settings that explain what a unit does by itself or what a touch does, the lowest first (Spec 4
   * rule 9); null where it explains neither.
   */
  readonly explainRank: number | null
  /**
   * The unit of measure behind its numbers in a sentence (`s`, `min`, `%`, `lx`, `detections`), or empty: none, or in
   * the names of its fields.
   */
  readonly unit: string
  /** What certain numbers mean besides, by the name of the field; `value` where the value is the number itself. */
  readonly meanings: Readonly<Record<string, Readonly<Record<number, string>>>>
  /** Fields of its value that say nothing to people. */
  readonly unsaid: readonly string[]
}

export interface WritableIntent extends IntentBase {
  readonly access: 'read_write'
  readonly coding: (context: IntentContext) => WritableCoding
}

interface ReadOnlyIntent extends IntentBase {
  readonly access: 'read_only'
  /** What to do instead. */
  readonly guidance: string
  /** The screen of the home's app where the setting is. */
  readonly appAction: 'unit.menus'
  readonly coding: (context: IntentContext) => Coding
}

export type Intent = WritableIntent | ReadOnlyIntent

const MODULE_MODELS: readonly Model[] = ['HMHHX2', 'HMHHX3', 'HMHHX4']

const CONTEXTS: readonly IntentContext[] = SWITCH_MODELS.flatMap((model): IntentContext[] =>
  MODULE_MODELS.includes(model)
    ? [
        { model, scope: 'module', gangClass: null },
        { model, scope: 'gang', gangClass: 'switch_gang' },
        { model, scope: 'gang', gangClass: 'shutter_gang' },
      ]
    : [{ model, scope: 'unit', gangClass: null }],
)

/**
 * The context of a device, always the same object, or null for one without intents. A module itself is asked with
 * `gangClass` null.
 */
export function contextOf(model: Model | null, gangClass: GangClass | null): IntentContext | null {
  return CONTEXTS.find((context) => context.model === model && context.gangClass === gangClass) ?? null
}

/**
 * Whether a device has the intent. Per-gang intents are asked of the gangs, never of their module
 * (docs/intents.md#why).
 */
export function applies(intent: Intent, context: IntentContext): boolean {
  if (!intent.models.includes(context.model)) return false
  if (context.scope === 'unit') return true
  return context.gangClass === null ? intent.gangs.length === 0 : intent.gangs.includes(context.gangClass)
}

/** Every context that an intent applies to. */
export const contextsOf = (intent: Intent): readonly IntentContext[] =>
  CONTEXTS.filter((context) => applies(intent, context))

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

const UNSAID: Pick<IntentBase, Optional> = { gangs: [], explainRank: null, unit: '', meanings: {}, unsaid: [] }

/** An intent that the API can change. Each example is what a person says and the value that it means. */
export function writable(
  words: Words & {
    readonly examples: readonly { readonly ask: string; readonly value: Json }[]
    readonly coding: (context: IntentContext) => WritableCoding
  },
): WritableIntent {
  return {
    ...UNSAID,
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
  words: Omit<Words, 'sideEffects'> & {
    /** Where reading it is not all that there is to say. */
    readonly sideEffects?: string
    readonly asks: readonly string[]
    readonly guidance: string
    readonly coding: (context: IntentContext) => Coding
  },
): ReadOnlyIntent {
  const { asks, ...rest } = words
  return {
    ...UNSAID,
    sideEffects: 'None: it is only shown.',
    ...rest,
    coding: oncePerContext(rest.coding),
    prerequisites: ['The integration has advanced_config set to read or read_write.', ...(words.prerequisites ?? [])],
    errors: REFUSED_CHANGE_ERRORS,
    examples: asks.map((ask) => ({ ask, call: 'GET /v1/devices/{id}/intents' })),
    access: 'read_only',
    appAction: 'unit.menus',
  }
}

/** Groups of models as the catalogue names them: A, B, then C, D, E, then P, S, T. */
export const DIMMER: readonly SwitchModel[] = ['HMHH']
export const DIMMER_AND_SINGLE: readonly SwitchModel[] = ['HMHH', 'HMHHX1']
export const MODULES: readonly SwitchModel[] = ['HMHHX2', 'HMHHX3', 'HMHHX4']
export const LIGHTS: readonly SwitchModel[] = [...DIMMER_AND_SINGLE, ...MODULES]
export const POWER: readonly SwitchModel[] = ['HMPH']
export const SENSE: readonly SwitchModel[] = ['HMSH']
export const POWER_AND_SENSE: readonly SwitchModel[] = [...POWER, ...SENSE]
export const SHUTTER: readonly SwitchModel[] = ['HMTHX2']
export const ALL: readonly SwitchModel[] = [...LIGHTS, ...POWER_AND_SENSE, ...SHUTTER]

/** Per-gang intents about lights and their loads; and those that make sense for a shutter of two gangs as well. */
export const SWITCH_GANGS: readonly GangClass[] = ['switch_gang']
export const ALL_GANGS: readonly GangClass[] = ['switch_gang', 'shutter_gang']
