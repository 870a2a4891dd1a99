import { SWITCH_MODELS, type GangClass, type Model, type SwitchModel } from '../home/model/device.ts'
import type { Coding, WritableCoding } from './coding/coding.ts'

/** What an intent is asked of: a whole unit, a module itself, or one gang of a module. */
export type IntentScope = 'unit' | 'module' | 'gang'

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

export interface ReadOnlyIntent extends IntentBase {
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
