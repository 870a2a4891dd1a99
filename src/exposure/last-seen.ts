import type { LiveHome } from '../home/live/live-home.ts'
import type { ExposedDevice } from './exposed-house.ts'

/**
 * When a unit or module last said something that the integration sees (epoch ms), or null before: hidden gangs of a
 * module say nothing (docs/decisions/exposure.md#decided).
 */
export function lastSeenOf(unit: Pick<ExposedDevice, 'heardBy'>, live: Pick<LiveHome, 'heardAt'>): number | null {
  const moments = unit.heardBy.map((key) => live.heardAt(key)).filter((at) => at !== undefined)
  return moments.length === 0 ? null : Math.max(...moments)
}
