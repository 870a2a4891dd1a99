import type { Device } from '../house/house.ts'
import { type Cause, whoAsks } from '../model/cause.ts'
import type { RegisterName } from '../model/register.ts'
import type { Priority, UnitBus } from '../ports/unit-bus.ts'
import type { LiveHome } from './live-home.ts'

/** Settings of a power switch that decide its set point, and whether it takes `set_temp` at all. */
const SET_POINT_SETTINGS: readonly RegisterName[] = ['climate_load', 'cool_on', 'cool_off', 'heat_on', 'heat_off']

interface StateAfterSettingsParts {
  readonly bus: Pick<UnitBus, 'readState'>
  readonly live: Pick<LiveHome, 'confirm'>
  readonly has: (device: Device) => boolean
}

/**
 * Units report no new state when a setting changes it: where confirmed settings decide a state, it is read
 * anew. Resolves once it is taken; where the unit does not answer, the bus asks again by itself.
 */
export async function readStateAfterSettings(
  { bus, live, has }: StateAfterSettingsParts,
  device: Device,
  names: readonly RegisterName[],
  cause: Cause,
  priority: Priority,
): Promise<void> {
  if (device.class !== 'power_switch' || !names.some((name) => SET_POINT_SETTINGS.includes(name))) return
  const target = { address: device.unit.address, gang: device.gang?.gang ?? null }
  const answer = await bus.readState(target, priority, whoAsks(cause))
  if (answer.ok && has(device))
    live.confirm(device.key, answer.value, cause.source === 'unit' ? 'touch' : 'command', cause)
}
