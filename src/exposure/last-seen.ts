import type { LiveHome } from '../home/live/live-home.ts'
import type { ExposedDevice } from './exposed-house.ts'

/**
 * When a unit or module last said something that the integration sees (epoch ms), or null before: hidden gangs of a
 * module say nothing (docs/decisions/exposure.md#decided).
 */
export function lastSeenOf(unit: Pick<ExposedDevice, 'heardBy'>, live: Pick<LiveHome, 'lastReportAt'>): number | null {
  let latest: number | null = null
  for (const key of unit.heardBy) {
    const at = live.lastReportAt(key)
    if (at !== undefined && (latest === null || at > latest)) latest = at
  }
  return latest
}
