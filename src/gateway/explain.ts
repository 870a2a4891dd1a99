import type { HomeParts } from './home.ts'
import type { Stores } from './stores.ts'
import type { ExplainSources, SettingFact } from '../home/explain/explanation.ts'
import type { Device } from '../home/house/house.ts'
import { contextOf, intentOf, readIntent } from '../intents/index.ts'
import { settingWords } from '../intents/words.ts'

/** The settings that make a unit act by itself, or that decide what a touch does. */
const TELLING_INTENTS = [
  'single_touch',
  'off_delay',
  'off_after_no_motion',
  'quick_off',
  'only_when_dark',
  'climate',
  'automatic_modes',
  'key_sense',
  'safety_off_in_manual',
  'sleep_timer',
  'after_power_cut',
  'presence_sensing',
  'shutter_automatic',
] as const

/** Where explanations come from: what is stored and what was last confirmed, never the wire. */
export function explainSources({ house, live, bus, rules, settings }: HomeParts, { history }: Stores): ExplainSources {
  const factsOf = (device: Device): readonly SettingFact[] => {
    const context = contextOf(device.unit.model, device.gang?.class ?? null)
    if (!context) return []
    const cached = settings.get(device.key)
    return TELLING_INTENTS.flatMap((id) => {
      const intent = intentOf(id, context)
      const item = intent && readIntent(intent, context, cached).item
      return intent && item && item.value !== null && item.asOf !== null
        ? [{ what: settingWords(intent, item.value), asOf: item.asOf }]
        : []
    })
  }
  return {
    house,
    state: (key) => live.states.get(key),
    reachable: (unit) => live.reachable(unit),
    linkDown: () => bus.down,
    activity: history.activity,
    detections: history.detections,
    automations: () => rules.automations.list(),
    schedules: () => rules.schedules.list(),
    settings: factsOf,
    unitSchedules: (key) => settings.schedulesOf(key),
    timeZone: () => house.info.timeZone,
  }
}
