import type { ExposedHouse } from '../../../../src/exposure/exposed-house.ts'
import type { Cause } from '../../../../src/home/model/events.ts'
import type { DeviceKey } from '../../../../src/home/model/device.ts'
import { type NoninterferenceHome, WATCHED_ID } from './home.ts'

export const ANNA: Cause = { source: 'person', name: 'Anna' }

export function watchedView(tested: NoninterferenceHome): ExposedHouse {
  const watched = tested.stores.integrations.get(WATCHED_ID)
  if (!watched) throw new Error('The home watches no integration.')
  return tested.api.views.of(watched)
}

/** Fully visible devices, in visible order. */
export function visibleKeys(tested: NoninterferenceHome): DeviceKey[] {
  return [...watchedView(tested).devices()].filter((device) => !device.onlyGangs).map(({ key }) => key)
}

/** Hidden devices, and modules with visible gangs only. */
export function hiddenKeys(tested: NoninterferenceHome): DeviceKey[] {
  const seen = new Set(visibleKeys(tested))
  return [...tested.home.house.devices.keys()].filter((key) => !seen.has(key))
}
