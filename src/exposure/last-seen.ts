import type { LiveHome } from '../home/live/live-home.ts'
import type { ExposedDevice } from './exposed-house.ts'

/**
 * Time of the last report of a unit or module that the integration sees (epoch ms), or null. Hidden gangs of a module
 * do not count (docs/decisions/exposure.md#decided).
 */
export function lastSeenOf(
  unit: Pick<ExposedDevice, 'reportSources'>,
  live: Pick<LiveHome, 'lastReportAt'>,
): number | null {
  let latest: number | null = null
  for (const key of unit.reportSources) {
    const at = live.lastReportAt(key)
    if (at !== undefined && (latest === null || at > latest)) latest = at
  }
  return latest
}
