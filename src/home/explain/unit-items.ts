import { parseDeviceKey } from '../model/device.ts'
import type { DeviceKey } from '../model/device.ts'
import { modeWords, unitScheduleWords } from '../words/units.ts'
import type { ExplainItem, ExplainSources, ExplainView } from './explanation.ts'

/**
 * What the unit itself may have done, as it last confirmed it: its mode, its settings, its own schedules. Nothing here
 * asks the unit.
 */
export function unitItems(device: DeviceKey, sources: ExplainSources, view: ExplainView): readonly ExplainItem[] {
  const items: ExplainItem[] = []
  for (const key of [device, ...view.gangsOf(device)]) {
    const about = { kind: 'device', id: key } as const
    const name = view.device(key) ?? ''
    const add = (kind: 'unit_setting' | 'schedule', what: string, asOf: number): void => {
      items.push({ kind, source: 'cache', at: null, what, cause: null, about, asOf })
    }
    const cached = sources.state(key)
    const mode = cached === undefined || !('mode' in cached.state) ? null : modeWords(name, cached.state.mode)
    if (mode !== null && cached !== undefined) add('unit_setting', mode, cached.asOf)
    const found = sources.house.devices.get(key)
    if (view.showsSettings && found !== undefined)
      for (const fact of sources.settings(found)) add('unit_setting', `${name}: ${fact.what}, as last read.`, fact.asOf)
  }
  const own = view.showsUnitSchedules ? sources.unitSchedules(device) : undefined
  for (const schedule of own?.schedules ?? []) {
    const key = schedule.gang === null ? device : `${parseDeviceKey(device).unit}:${schedule.gang}`
    const name = view.device(key)
    // The schedule of a whole module is left out where only some of its gangs are shown.
    if (own === undefined || name === null || (schedule.gang === null && view.onlyGangs(device))) continue
    items.push({
      kind: 'schedule',
      source: 'cache',
      at: null,
      what: unitScheduleWords(name, schedule),
      cause: null,
      about: { kind: 'device', id: key },
      asOf: own.asOf,
    })
  }
  return items
}
