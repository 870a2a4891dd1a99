import { parseDeviceKey } from '../model/device.ts'
import type { DeviceKey } from '../model/device.ts'
import type { UnitSchedule } from '../model/register.ts'
import { MODES } from '../model/state.ts'
import { WEEKDAYS } from '../rules/model.ts'
import { renderTime } from '../rules/render.ts'
import type { ExplainItem, ExplainSources, ExplainView } from './explanation.ts'

/** What the unit itself may have done, as it last confirmed it: its mode, its settings, its own schedules. Nothing here asks the unit. */
export function unitItems(device: DeviceKey, sources: ExplainSources, view: ExplainView): readonly ExplainItem[] {
  const items: ExplainItem[] = []
  for (const key of [device, ...view.gangsOf(device)]) {
    const about = { kind: 'device', id: key } as const
    const name = view.device(key) ?? ''
    const add = (kind: 'unit_setting' | 'schedule', what: string, asOf: number): void => {
      items.push({ kind, source: 'cache', at: null, what, cause: null, about, asOf })
    }
    const cached = sources.state(key)
    const mode = cached === undefined || !('mode' in cached.state) ? null : modeSentence(name, cached.state.mode)
    if (mode !== null && cached !== undefined) add('unit_setting', mode, cached.asOf)
    const found = sources.house.devices.get(key)
    if (view.showsSettings && found !== undefined)
      for (const fact of sources.settings(found)) add('unit_setting', `${name}: ${fact.what}, as last read.`, fact.asOf)
  }
  const own = view.showsUnitSchedules ? sources.unitSchedules(device) : undefined
  for (const schedule of own?.schedules ?? []) {
    const key = schedule.gang === null ? device : `${parseDeviceKey(device).unit}:${schedule.gang}`
    const name = view.device(key)
    // What a module does as a whole is not told where it is shown only for its gangs.
    if (own === undefined || name === null || (schedule.gang === null && view.onlyGangs(device))) continue
    items.push({
      kind: 'schedule',
      source: 'cache',
      at: null,
      what: scheduleSentence(name, schedule),
      cause: null,
      about: { kind: 'device', id: key },
      asOf: own.asOf,
    })
  }
  return items
}

/** Modes in which a unit acts by itself; an air conditioner's modes are another thing. */
function modeSentence(name: string, mode: string): string | null {
  switch (MODES.find((known) => known === mode)) {
    case 'auto':
      return `${name} is in Auto mode, as last confirmed: its own sensors and timers may move it.`
    case 'eco':
      return `${name} is in Eco mode, as last confirmed: its own sensors and timers may move it to save energy.`
    case 'sleep':
      return `${name} is in Sleep mode, as last confirmed: it goes off by itself when the sleep time is over.`
    case 'manual':
    case undefined:
      return null
  }
}

function scheduleSentence(name: string, schedule: UnitSchedule): string {
  const days = WEEKDAYS.filter((day) => schedule.days.includes(day))
  const args =
    schedule.args === undefined
      ? ''
      : ` ${Object.values(schedule.args)
          .map((value) => (value === true ? 'on' : value === false ? 'off' : String(value)))
          .join(' ')}`
  const off = schedule.enabled ? '' : ', but it is off'
  return `${name} has a schedule of its own, as last read: ${schedule.op}${args} ${renderTime({ time: schedule.time, days })}${off}.`
}
