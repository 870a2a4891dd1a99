import type { SensorState } from '@hm-gateway/client/src/browser.ts'
import { numberWords } from '../../words/state.ts'

interface Measured {
  /** The class of the unit that measures. */
  readonly is: string
  readonly reading: SensorState | null
}

/**
 * What a room is like: its temperature and humidity, and what its units draw. A sensor knows a room better than a
 * switch, which is warmed by its own load: what switches measure counts only where no sensor does.
 */
export function roomClimate(measured: readonly Measured[]): readonly string[] {
  return [
    ...said(mean(best(measured, 'temperature')), '°C'),
    ...said(mean(best(measured, 'humidity')), '%'),
    ...said(sum(valuesOf(measured, 'power')) || null, 'W'),
  ]
}

type Kind = 'temperature' | 'humidity' | 'power'

function best(measured: readonly Measured[], kind: Kind): readonly number[] {
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

const said = (value: number | null, unit: string): readonly string[] =>
  value === null ? [] : [numberWords(unit === '°C' ? Math.round(value * 10) / 10 : Math.round(value), unit)]
