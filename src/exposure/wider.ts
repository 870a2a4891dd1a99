import { formatExposure } from './pick-text.ts'
import type { Integration } from './integration.ts'
import type { KnobName, Knobs } from './knobs.ts'

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
