import type { RegisterValues } from '../home/model/device.ts'
import {
  type CachedRegisters,
  encodeIntent,
  type IntentContext,
  intentOf,
  intentsFor,
  readIntent,
  settingChangeWords,
} from './index.ts'
import { type WritableIntent, POWER_AND_SENSE, SHUTTER } from './catalogue/intent.ts'

/** A setting that a person chose for one unit and that another one takes. */
export interface SharedSetting {
  readonly intent: string
  /** The registers that say the same on the other unit. */
  readonly values: RegisterValues
  /** `off delay set to 90 s`. */
  readonly what: string
}

/**
 * Settings that people choose and that two devices have alike. Facts about the hardware and groups are read-only and
 * stay with it. Devices with another kind of load share none: a delay for a lamp is not meant for a heater.
 */
export function settingsInCommon(from: IntentContext, to: IntentContext): readonly WritableIntent[] {
  if (loadOf(from) !== loadOf(to)) return []
  return intentsFor(from).flatMap((intent) =>
    intent.access === 'read_write' && intentOf(intent.id, to) !== null ? [intent] : [],
  )
}

/** The settings in common whose values are known and possible on the other device. */
export function sharedSettings(
  from: IntentContext,
  to: IntentContext,
  cached: CachedRegisters,
): readonly SharedSetting[] {
  return settingsInCommon(from, to).flatMap((intent) => {
    const { item, unknown } = readIntent(intent, from, cached)
    if (item.value === null || unknown !== null) return []
    const values = encodeIntent(intent, to, item.value)
    return values.ok ? [{ intent: intent.id, values: values.value, what: settingChangeWords(intent, item.value) }] : []
  })
}

function loadOf({ model, gangClass }: IntentContext): 'light' | 'power' | 'shutter' {
  if (gangClass === 'shutter_gang' || SHUTTER.includes(model)) return 'shutter'
  return POWER_AND_SENSE.includes(model) ? 'power' : 'light'
}
