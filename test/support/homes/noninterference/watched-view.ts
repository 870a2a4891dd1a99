import type { ExposedHouse } from '../../../../src/exposure/exposed-house.ts'
import type { Cause } from '../../../../src/home/model/events.ts'
import type { DeviceKey } from '../../../../src/home/model/device.ts'
import { type NoninterferenceHome, WATCHED_ID } from './home.ts'

export const ANNA: Cause = { source: 'person', name: 'Anna' }

export function watchedView(tested: NoninterferenceHome): ExposedHouse {
  const watched = tested.stores.integrations.get(WATCHED_ID)
  if (!watched) throw new Error('Nobody is watched.')
  return tested.api.views.of(watched)
}

/** Devices that are seen whole, in the order in which they are seen. */
export function seenKeys(tested: NoninterferenceHome): DeviceKey[] {
  return [...watchedView(tested).devices()].filter((device) => !device.onlyGangs).map(({ key }) => key)
}

/** Devices that are not seen, and modules of which only gangs are. */
export function hiddenKeys(tested: NoninterferenceHome): DeviceKey[] {
  const seen = new Set(seenKeys(tested))
  return [...tested.home.house.devices.keys()].filter((key) => !seen.has(key))
}
