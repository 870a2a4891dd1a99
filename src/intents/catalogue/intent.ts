import { SWITCH_MODELS, type GangClass, type Model, type SwitchModel } from '../../home/model/device.ts'
import type { Coding, WritableCoding, Json } from '../coding/coding.ts'

/** Level of an intent: a whole unit, a module itself, or one gang of a module. */
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
  /** The matching request; `{id}` stands for the device's id from the house. */
  readonly call: string
}

/** One unit setting in user terms (Spec 2.7), with the devices that have it. */
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
  /** The classes of gangs that have it; empty if it belongs to the module itself or no module has it. */
  readonly gangs: readonly GangClass[]
  /**
   * Rank among the settings that explain why a unit acts by itself or how it reacts to a touch, lowest first (Spec 4
   * rule 9); null if it explains neither.
   */
  readonly explainRank: number | null
  /**
   * The unit of measure behind its numbers in a sentence (`s`, `min`, `%`, `lx`, `detections`). Empty if there is none
   * or the names of its fields contain it.
   */
  readonly unit: string
  /** Meanings of special numbers, by field name; `value` if the value itself is the number. */
  readonly meanings: Readonly<Record<string, Readonly<Record<number, string>>>>
  /** Fields of its value that are left out of sentences. */
  readonly omittedFields: readonly string[]
}

export interface WritableIntent extends IntentBase {
  readonly access: 'read_write'
  readonly coding: (context: IntentContext) => WritableCoding
}

interface ReadOnlyIntent extends IntentBase {
  readonly access: 'read_only'
  /** The alternative in the app. */
  readonly guidance: string
  /** The screen of the home's app with the setting. */
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
 * The context of a device, always the same object, or null for one without intents. For a module itself, `gangClass` is
 * null.
 */
export function contextOf(model: Model | null, gangClass: GangClass | null): IntentContext | null {
  return CONTEXTS.find((context) => context.model === model && context.gangClass === gangClass) ?? null
}

/**
 * True if a device has the intent. Per-gang intents belong to the gangs, never to their module (docs/intents.md#why).
 */
export function applies(intent: Intent, context: IntentContext): boolean {
  if (!intent.models.includes(context.model)) return false
  if (context.scope === 'unit') return true
  return context.gangClass === null ? intent.gangs.length === 0 : intent.gangs.includes(context.gangClass)
}

/** Every context with an intent. */
export const contextsOf = (intent: Intent): readonly IntentContext[] =>
  CONTEXTS.filter((context) => applies(intent, context))

type Optional = 'gangs' | 'explainRank' | 'unit' | 'meanings' | 'omittedFields'

/** The part of a definition that its author writes; the rest follows from its access. */
type Words = Omit<IntentBase, 'errors' | 'examples' | 'prerequisites' | Optional> &
  Partial<Pick<IntentBase, 'prerequisites' | Optional>>

const CHANGE_ERRORS = ['config_not_allowed', 'not_found', 'validation', 'unit_unreachable', 'hmhc_unavailable'] as const
const REFUSED_CHANGE_ERRORS = ['config_not_allowed', 'not_found', 'not_offered'] as const

/** Codings are built once for each context: listing a large home uses them thousands of times. */
function oncePerContext<C extends Coding>(make: (context: IntentContext) => C): (context: IntentContext) => C {
  const codings = new Map<IntentContext, C>()
  return (context) => {
    const known = codings.get(context)
    if (known !== undefined) return known
    const coding = make(context)
    codings.set(context, coding)
    return coding
  }
}

const DEFAULTS: Pick<IntentBase, Optional> = { gangs: [], explainRank: null, unit: '', meanings: {}, omittedFields: [] }

/** An intent that the API can change. Each example is a person's request and the value for it. */
export function writable(
  words: Words & {
    readonly examples: readonly { readonly ask: string; readonly value: Json }[]
    readonly coding: (context: IntentContext) => WritableCoding
  },
): WritableIntent {
  return {
    ...DEFAULTS,
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

/** An intent that the API shows and only the app changes. Each example is a question that reading answers. */
export function readOnly(
  words: Omit<Words, 'sideEffects'> & {
    /** Set it if reading has a side effect worth mentioning. */
    readonly sideEffects?: string
    readonly asks: readonly string[]
    readonly guidance: string
    readonly coding: (context: IntentContext) => Coding
  },
): ReadOnlyIntent {
  const { asks, ...rest } = words
  return {
    ...DEFAULTS,
    sideEffects: 'It is read-only.',
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

/** Per-gang intents for lights and their loads, and those that also fit a shutter of two gangs. */
export const SWITCH_GANGS: readonly GangClass[] = ['switch_gang']
export const ALL_GANGS: readonly GangClass[] = ['switch_gang', 'shutter_gang']
