import type { DeviceKey } from '../model/device.ts'
import { isFlag, type Readings } from '../model/state.ts'
import type { LastReadingStore } from '../ports/history-store.ts'

interface Remembering {
  remember(device: DeviceKey, readings: Readings, asOf: number): void
}

/** Gives the live home the last readings from before a restart. Each holds until its device reports again. */
export function rememberReadings(live: Remembering, stored: Pick<LastReadingStore, 'all'>): void {
  for (const [device, latest] of Map.groupBy(stored.all(), (reading) => reading.device)) {
    const readings: Readings = Object.fromEntries(
      latest.map(({ kind, value }) => [kind, isFlag(kind) ? value === 1 : value]),
    )
    live.remember(device, readings, Math.max(...latest.map(({ at }) => at)))
  }
}
