import type { HomeParts } from './home.ts'
import type { Stores } from './stores.ts'
import type { ExplainSources, SettingFact } from '../home/explain/explanation.ts'
import type { Device } from '../home/house/house.ts'
import { parseDeviceKey } from '../home/model/device.ts'
import { contextOf, explainingIntents, readIntent, settingWords } from '../intents/index.ts'

/** The sources of explanations: the stores and the last confirmed states; no unit is asked. */
export function explainSources(
  { house, identities, live, bus, rules, settings }: HomeParts,
  { history }: Stores,
): ExplainSources {
  const factsOf = (device: Device): readonly SettingFact[] => {
    const context = contextOf(device.unit.model, device.gang?.class ?? null)
    if (!context) return []
    const cached = settings.get(device.key)
    return explainingIntents(context).flatMap((intent) => {
      const { value, asOf } = readIntent(intent, context, cached).item
      return value === null || asOf === null ? [] : [{ what: settingWords(intent, value), asOf }]
    })
  }
  return {
    house,
    since: (device) => identities.since(parseDeviceKey(device).unit),
    state: (key) => live.states.get(key),
    reachable: (unit) => live.reachable(unit),
    linkDown: () => bus.down,
    activity: history.activity,
    detections: history.detections,
    automations: () => rules.automations.list(),
    heldBack: (automation) => rules.heldBack(automation),
    schedules: () => rules.schedules.list(),
    settings: factsOf,
    unitSchedules: (key) => settings.schedulesOf(key),
    timeZone: () => house.info.timeZone,
  }
}
