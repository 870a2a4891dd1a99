import { type Signal, signal } from '@preact/signals'
import type { SensorState } from '../../../client/src/browser.ts'

/** Percent; a battery that has as much or less is told among what needs attention. */
export const LOW_BATTERY = 15

/** Units whose battery is low, with what it has left in percent. */
export const lowBatteries = signal<ReadonlyMap<string, number>>(new Map())

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
  lowBatteries.value = new Map([...sensors].flatMap(([id, { battery }]) => (isLow(battery) ? [[id, battery]] : [])))
}

/** Takes what one unit told. */
export function tookReading(id: string): void {
  const told = known.get(id) ?? null
  const followed = readings.get(id)
  if (followed) followed.value = told
  const battery = told?.battery
  if (lowBatteries.value.get(id) === (isLow(battery) ? battery : undefined)) return
  const others = [...lowBatteries.value].filter(([other]) => other !== id)
  lowBatteries.value = new Map(isLow(battery) ? [...others, [id, battery]] : others)
}

/** Nobody is signed in any more. */
export function forgetReadings(): void {
  readings.clear()
  known = new Map()
  lowBatteries.value = new Map()
}

const isLow = (battery: number | undefined): battery is number => battery !== undefined && battery <= LOW_BATTERY
