import { isFlag, type Readings } from '../model/state.ts'
import type { ReadingStore } from '../ports/history-store.ts'

interface Remembering {
  remember(unit: string, readings: Readings, asOf: number): void
}

/** Gives the live home the last readings from before a restart; each holds until its sensor reports again. */
export function rememberReadings(live: Remembering, stored: Pick<ReadingStore, 'latest'>): void {
  for (const [unit, latest] of Map.groupBy(stored.latest(), (each) => each.unit)) {
    const readings: Readings = Object.fromEntries(
      latest.map(({ kind, value }) => [kind, isFlag(kind) ? value === 1 : value]),
    )
    live.remember(unit, readings, Math.max(...latest.map(({ at }) => at)))
  }
}
