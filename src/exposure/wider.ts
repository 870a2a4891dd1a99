import type { House } from '../home/house/house.ts'
import type { DeviceKey } from '../home/model/device.ts'
import { formatExposure } from './pick-text.ts'
import type { Exposure, Integration } from './integration.ts'
import type { KnobName, Knobs } from './knobs.ts'
import { visibleIn } from './visible.ts'

const RANK = { off: 0, read: 1, on: 2, read_write: 2 } as const

/** True if one of these knobs lets an integration do more than `now`; `mdns` lets nobody do anything. */
export function raisesKnobs(knobs: Partial<Knobs>, now: Partial<Knobs> = {}): boolean {
  const names = Object.keys(knobs) as KnobName[]
  return names.some((name) => name !== 'mdns' && RANK[knobs[name] ?? 'off'] > RANK[now[name] ?? 'read'])
}

/** True if credentials of an integration could see or do more after a change of it. */
export function isWider(before: Integration, after: Integration): boolean {
  const shown = new Set(formatExposure(before.exposure))
  const showsMore = !shown.has('all') && formatExposure(after.exposure).some((pick) => !shown.has(pick))
  return showsMore || (after.enabled && !before.enabled) || raisesKnobs(after.knobs, before.knobs)
}

/** True if an exposure shows more devices of the house after a change of the house. */
export function showsMore(exposure: Exposure, before: House, after: House): boolean {
  const [old, now] = [visibleIn(before, exposure), visibleIn(after, exposure)]
  const isNew = (key: DeviceKey): boolean =>
    !old.devices.has(key) || (old.onlyGangs.has(key) && !now.onlyGangs.has(key))
  return [...now.devices].some(isNew)
}
