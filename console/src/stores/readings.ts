import { type Signal, signal } from '@preact/signals'
import type { HomeDevice, SensorState } from '@hm-gateway/client/src/browser.ts'

/** The gravest first. */
const ALARM_KINDS = ['smoke', 'water', 'tamper'] as const
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

/** Since when a device is in its state. */
export interface Since {
  /** Epoch ms. */
  readonly at: number
  /** False: the state is the first one that was heard, and began earlier. */
  readonly isExact: boolean
}

/** States as this page knows them, each without the time of its confirmation. */
const seen = new Map<string, Since & { readonly what: string }>()

/** Takes a state; answers since when this page knows it. The same state confirmed again began no later. */
export function sawState({ id, state }: Pick<HomeDevice, 'id' | 'state'>): Since | null {
  if (state === null) return null
  const { asOf, ...rest } = state
  const what = JSON.stringify(rest)
  const before = seen.get(id)
  if (before?.what === what) return before
  const first = { what, at: asOf, isExact: before !== undefined }
  seen.set(id, first)
  return first
}

export function forgetStates(): void {
  seen.clear()
}
