import { type Signal, signal } from '@preact/signals'
import type { SensorState } from '@hm-gateway/client/src/browser.ts'

/** The most serious first. */
const ALARM_KINDS = ['smoke', 'water', 'tamper'] as const
export interface Alarm {
  readonly id: string
  readonly kind: (typeof ALARM_KINDS)[number]
}

/** All current alarms of the home. */
export const alarms = signal<readonly Alarm[]>([])

const signals = new Map<string, Signal<SensorState | null>>()
let latest: ReadonlyMap<string, SensorState> = new Map()

/** Current measurements of a unit; null if it measures nothing or has not reported yet. */
export function readingsOf(id: string): Signal<SensorState | null> {
  const existing = signals.get(id)
  if (existing) return existing
  const created = signal(latest.get(id) ?? null)
  signals.set(id, created)
  return created
}

/** Replaces all readings. Later changes arrive in the same map, followed by `updateReading`. */
export function setReadings(sensors: ReadonlyMap<string, SensorState>): void {
  latest = sensors
  for (const [id, reading] of signals) reading.value = sensors.get(id) ?? null
  updateAlarms()
}

/** Publishes the new reading of one unit. */
export function updateReading(id: string): void {
  const existing = signals.get(id)
  if (existing) existing.value = latest.get(id) ?? null
  const before = alarms.value.filter((alarm) => alarm.id === id).map(({ kind }) => kind)
  if (before.join() !== alarmsIn(latest.get(id)).join()) updateAlarms()
}

/** Alarms in the reading of one device. */
export function alarmsIn(reading: SensorState | null | undefined): readonly Alarm['kind'][] {
  return ALARM_KINDS.filter((kind) => reading?.[kind] === true)
}

function updateAlarms(): void {
  alarms.value = ALARM_KINDS.flatMap((kind) =>
    [...latest].flatMap(([id, reading]) => (reading[kind] === true ? [{ id, kind }] : [])),
  )
}

/** Forgets everything at sign-out. */
export function forgetReadings(): void {
  signals.clear()
  latest = new Map()
  alarms.value = []
}
