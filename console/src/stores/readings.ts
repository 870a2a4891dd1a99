import { type Signal, signal } from '@preact/signals'
import type { SensorState } from '../../../client/src/browser.ts'

const readings = new Map<string, Signal<SensorState | null>>()
let known: ReadonlyMap<string, SensorState> = new Map()

/** What a unit measures now; null where it measures nothing, or was never heard. */
export function readingsOf(id: string): Signal<SensorState | null> {
  const followed = readings.get(id)
  if (followed) return followed
  const made = signal(known.get(id) ?? null)
  readings.set(id, made)
  return made
}

/** Takes what the home read anew. */
export function tookReadings(sensors: ReadonlyMap<string, SensorState>): void {
  known = sensors
  for (const [id, reading] of readings) reading.value = sensors.get(id) ?? null
}

/** Takes what one unit told. */
export function tookReading(id: string): void {
  const followed = readings.get(id)
  if (followed) followed.value = known.get(id) ?? null
}

/** Nobody is signed in any more. */
export function forgetReadings(): void {
  readings.clear()
  known = new Map()
}
