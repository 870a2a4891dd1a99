import type { ReadingKind } from '../model/state.ts'
import type { StateField, Test, Value } from '../rules/model.ts'

const READINGS: Readonly<Record<ReadingKind, { readonly words: string; readonly unit: string }>> = {
  temperature: { words: 'temperature', unit: ' °C' },
  humidity: { words: 'humidity', unit: ' %' },
  light: { words: 'light', unit: ' lux' },
  motion: { words: 'motion', unit: '' },
  co2: { words: 'CO2', unit: ' ppm' },
  door: { words: 'door', unit: '' },
  battery: { words: 'battery', unit: ' %' },
  power: { words: 'power', unit: ' W' },
  smoke: { words: 'smoke', unit: '' },
  water: { words: 'water', unit: '' },
  tamper: { words: 'tampering', unit: '' },
  energy: { words: 'energy', unit: ' Wh' },
}
const FIELDS: Readonly<Record<StateField, { readonly words: string; readonly unit: string }>> = {
  on: { words: 'power', unit: '' },
  bri: { words: 'brightness', unit: ' %' },
  mode: { words: 'mode', unit: '' },
  pos: { words: 'position', unit: ' %' },
  move: { words: 'movement', unit: '' },
  temp: { words: 'set temperature', unit: ' °C' },
  fan: { words: 'fan', unit: '' },
  key: { words: 'last key', unit: '' },
  locked: { words: 'lock', unit: '' },
}

const KINDS = { ...READINGS, ...FIELDS }

/** A time span as people say it: `1.5 s`, `10 min`, `1 h 30 min`. */
export function durationWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'min'],
    [Math.round((seconds % 60) * 10) / 10, 's'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** A word of the API, such as `volume_up` or `fan_only`, inside a sentence: `volume up`. */
export const plainWord = (word: string): string => word.replaceAll('_', ' ')

/** A value of a state or reading as shown to people, or `unknown`. */
export function valueWords(kind: StateField | ReadingKind, value: Value | null | undefined): string {
  if (value === null || value === undefined) return 'unknown'
  const { unit } = KINDS[kind]
  if (typeof value === 'string') return plainWord(value)
  if (typeof value === 'number') return `${value}${unit}`
  switch (kind) {
    case 'on':
      return value ? 'on' : 'off'
    case 'locked':
      return value ? 'locked' : 'unlocked'
    case 'door':
      return value ? 'open' : 'closed'
    case 'smoke':
    case 'water':
    case 'tamper':
      return value ? 'detected' : 'not detected'
    case 'motion':
      return value ? 'seen' : 'not seen'
    default:
      return String(value)
  }
}

/** `brightness is above 10 % and below 90 %`. */
export function stateTestWords(test: Test & { readonly state: StateField }): string {
  return `${FIELDS[test.state].words} ${testWords(test, test.state)}`
}

/** `temperature is above 25.5 °C`. */
export function readingTestWords(test: Test & { readonly reading: ReadingKind }): string {
  return `${READINGS[test.reading].words} ${testWords(test, test.reading)}`
}

function testWords(test: Test, kind: StateField | ReadingKind): string {
  if (test.is !== undefined) return `is ${valueWords(kind, test.is)}`
  const above = test.above === undefined ? null : `above ${valueWords(kind, test.above)}`
  const below = test.below === undefined ? null : `below ${valueWords(kind, test.below)}`
  return `is ${[above, below].filter((part) => part !== null).join(' and ')}`
}
