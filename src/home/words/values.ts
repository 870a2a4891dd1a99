import { type LocalDay, ZoneTime } from '../../lib/zone-time.ts'
import type { ReadingKind } from '../model/device.ts'
import type { StateField, Test, Value } from '../model/rules.ts'

/**
 * What stands for everything that the reader may not see: always the same, so that it tells nothing about what it
 * stands for.
 */
export const OUTSIDE = 'something outside this integration'

/** Names for people; null for what the reader may not see or what is no longer there. */
export interface Names {
  device(key: string): string | null
  scene(id: string): string | null
}

export function deviceName(key: string, names: Names): string {
  return names.device(key) ?? OUTSIDE
}

export function sceneName(id: string, names: Names): string {
  return names.scene(id) ?? OUTSIDE
}

/**
 * Says times as people in the home do: `at 14:03`, or `at 14:03 on 2027-03-04` for another day than the last one asked
 * about.
 */
export class TimeWords {
  readonly #zone: ZoneTime
  readonly #today: LocalDay

  constructor(timeZone: string, to: number) {
    this.#zone = new ZoneTime(timeZone)
    this.#today = this.#zone.at(to - 1).day
  }

  say(at: number): string {
    const { day, minute } = this.#zone.at(at)
    const time = `at ${two(Math.floor(minute / 60))}:${two(minute % 60)}`
    return day === this.#today ? time : `${time} on ${String(day).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')}`
  }
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

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
