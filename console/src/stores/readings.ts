import { type Signal, signal } from '@preact/signals'
import type { SensorState } from '@hm-gateway/client/src/browser.ts'

/** The gravest first. */
export const ALARM_KINDS = ['smoke', 'water', 'tamper'] as const
export interface Alarm {
  readonly id: string
  readonly kind: (typeof ALARM_KINDS)[number]
}

/** The alarms of the whole home that last. */
export const alarms = signal<readonly Alarm[]>([])

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
  takeAlarms()
}

/** Takes what one unit told. */
export function tookReading(id: string): void {
  const followed = readings.get(id)
  if (followed) followed.value = known.get(id) ?? null
  const before = alarms.value.filter((alarm) => alarm.id === id).map(({ kind }) => kind)
  if (before.join() !== alarmsIn(known.get(id)).join()) takeAlarms()
}

/** The alarms among the readings of a device. */
export function alarmsIn(reading: SensorState | null | undefined): readonly Alarm['kind'][] {
  return ALARM_KINDS.filter((kind) => reading?.[kind] === true)
}

function takeAlarms(): void {
  alarms.value = ALARM_KINDS.flatMap((kind) =>
    [...known].flatMap(([id, reading]) => (reading[kind] === true ? [{ id, kind }] : [])),
  )
}

/** Nobody is signed in any more. */
export function forgetReadings(): void {
  readings.clear()
  known = new Map()
  alarms.value = []
}
