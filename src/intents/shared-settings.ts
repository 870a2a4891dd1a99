import type { RegisterValues } from '../home/model/register.ts'
import { type CachedRegisters, type IntentContext, intentOf, intentsFor, readIntent } from './index.ts'
import { settingChangeWords } from './words.ts'

/** A setting that one unit held and that another one has as well. */
export interface SharedSetting {
  readonly intent: string
  /** The registers as the first unit held them. */
  readonly values: RegisterValues
  /** `off delay set to 90 s`. */
  readonly what: string
}

/** The settings of a unit whose values are known and that a unit of another context has too. */
export function sharedSettings(
  from: IntentContext,
  to: IntentContext,
  cached: CachedRegisters,
): readonly SharedSetting[] {
  return intentsFor(from).flatMap((intent) => {
    const { item, unknown } = readIntent(intent, from, cached)
    if (item.value === null || unknown !== null || intentOf(intent.id, to) === null) return []
    const values = Object.fromEntries(
      intent.coding(to).registers.flatMap((name) => {
        const held = cached.get(name)
        return held === undefined ? [] : [[name, held.value]]
      }),
    )
    return [{ intent: intent.id, values, what: settingChangeWords(intent, item.value) }]
  })
}
