import type { DeviceKey } from '../model/device.ts'
import { isFlag, type Readings } from '../model/state.ts'
import type { LastReadingStore } from '../ports/history-store.ts'

interface Remembering {
  remember(device: DeviceKey, readings: Readings, asOf: number): void
}

/**
 * Gives the live home the last readings from before a restart. Each holds until its device reports again. Readings of a
 * replaced unit may be left where the history took no writes, so older ones than `since` are not given.
 *
 * @param since when the id of a device began to name its present unit, epoch ms
 */
export function rememberReadings(
  live: Remembering,
  stored: Pick<LastReadingStore, 'all'>,
  since: (device: DeviceKey) => number,
): void {
  const own = stored.all().filter(({ device, at }) => at >= since(device))
  for (const [device, latest] of Map.groupBy(own, (reading) => reading.device)) {
    const readings: Readings = Object.fromEntries(
      latest.map(({ kind, value }) => [kind, isFlag(kind) ? value === 1 : value]),
    )
    live.remember(device, readings, Math.max(...latest.map(({ at }) => at)))
  }
}
