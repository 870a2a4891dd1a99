import type { ReadingKind } from '../home/model/state.ts'
import type { Device } from '../home/house/house.ts'

export interface Measure {
  readonly kind: ReadingKind
  readonly value: number
}

/**
 * What a sensor measures at a local time of a day; `warmth` is the day's weather from -1 to 1. Outside is what is named
 * for it.
 */
export function measure(device: Device, minute: number, warmth: number, dayOfYear: number): readonly Measure[] {
  const season = -Math.cos((2 * Math.PI * (dayOfYear - 15)) / 365)
  const sun = Math.max(0, Math.sin((Math.PI * (minute - 380 + 70 * season)) / (700 + 140 * season)))
  const outside = 9 + 10 * season + 4 * warmth + 4 * Math.sin((2 * Math.PI * (minute - 560)) / 1_440)
  if (/garden|weather|outside|balcony/i.test(device.name)) {
    return [
      { kind: 'temperature', value: tenth(outside) },
      { kind: 'humidity', value: Math.round(72 - 14 * sun - 6 * warmth) },
      { kind: 'light', value: Math.round(42_000 * sun * (0.6 + 0.4 * warmth)) },
    ]
  }
  const awake = minute > 390 && minute < 1_380 ? 1 : 0
  const inside = 20.2 + 0.06 * (outside - 9) + 0.8 * awake + 0.3 * sun
  const measures: Measure[] = [
    { kind: 'temperature', value: tenth(inside) },
    { kind: 'humidity', value: Math.round(46 + 5 * awake - 4 * sun) },
  ]
  if (/door|window/i.test(device.name)) return measures.slice(0, 1)
  if (/landing|hall|stair/i.test(device.name))
    return [
      measures[0] ?? { kind: 'temperature', value: tenth(inside) },
      { kind: 'light', value: Math.round(140 * sun) },
    ]
  return [...measures, { kind: 'co2', value: Math.round(520 + 260 * awake + 90 * warmth) }]
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10
}
