import type { SensorState } from '@hm-gateway/client/src/browser.ts'
import { numberWords } from '../../words/state.ts'

interface Measured {
  /** Class of the measuring unit. */
  readonly is: string
  readonly reading: SensorState | null
}

/**
 * Temperature, humidity and power of a room, in words. Switches are warmed by their own load, so their temperature
 * counts only in rooms without a sensor.
 */
export function roomClimate(measured: readonly Measured[]): readonly string[] {
  return [
    ...valueWords(mean(bestValues(measured, 'temperature')), '°C'),
    ...valueWords(mean(bestValues(measured, 'humidity')), '%'),
    ...valueWords(sum(valuesOf(measured, 'power')) || null, 'W'),
  ]
}

type Kind = 'temperature' | 'humidity' | 'power'

function bestValues(measured: readonly Measured[], kind: Kind): readonly number[] {
  const ofSensors = valuesOf(
    measured.filter(({ is }) => is === 'sensor'),
    kind,
  )
  return ofSensors.length > 0 ? ofSensors : valuesOf(measured, kind)
}

const valuesOf = (measured: readonly Measured[], kind: Kind): readonly number[] =>
  measured.flatMap(({ reading }) => reading?.[kind] ?? [])

const sum = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((all, value) => all + value, 0)

const mean = (values: readonly number[]): number | null => {
  const all = sum(values)
  return all === null ? null : all / values.length
}

const valueWords = (value: number | null, unit: string): readonly string[] =>
  value === null ? [] : [numberWords(unit === '°C' ? Math.round(value * 10) / 10 : Math.round(value), unit)]
