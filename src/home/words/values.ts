import { type LocalDay, ZoneTime } from '../../lib/zone-time.ts'
import type { ReadingKind } from '../model/device.ts'
import type { GroupTarget } from '../model/groups.ts'
import type { PlaceReference } from '../model/rule-parts.ts'
import type { StateField, Test, Value } from '../model/rules.ts'

/** Stands for everything that the reader may not see. It is always the same, so it reveals nothing. */
export const OUTSIDE = 'something outside this integration'

/** Names for people; null for a hidden or missing object. */
export interface DisplayNames {
  device(key: string): string | null
  scene(id: string): string | null
  mode(id: string): string | null
  /** By its reference: `automation:x`. */
  rule(reference: string): string | null
  calendar(id: string): string | null
  person(id: string): string | null
  place(place: PlaceReference): string | null
}

/** Name of a removed thing for administrators, by its reference. Ids of persons say nothing. */
export function removedName(reference: string): string {
  const { kind, id } = namedParts(reference)
  return kind === 'person' ? 'a removed person' : `${id} (removed)`
}

/** `the scene movie-night`, `a person`. */
export function removedWords(reference: string): string {
  const { kind, id } = namedParts(reference)
  return kind === 'person' ? 'a person' : `the ${kind} ${id}`
}

function namedParts(reference: string): { readonly kind: string; readonly id: string } {
  const [kind = '', ...rest] = reference.split(':')
  return { kind, id: rest.join(':') }
}

export function deviceName(key: string, names: DisplayNames): string {
  return names.device(key) ?? OUTSIDE
}

const GROUP_NOUNS: Readonly<Record<string, string>> = {
  light: 'lights',
  cover: 'covers',
  socket: 'sockets',
  climate: 'climate devices',
  any: 'devices',
}

/** `lights in Kitchen`, `devices of the group Reading lights`. */
export function groupName({ group, room, floor }: GroupTarget, names: DisplayNames): string {
  const nameOf = (kind: PlaceReference['kind'], id: string): string => names.place({ kind, id }) ?? OUTSIDE
  const noun = GROUP_NOUNS[group] ?? `devices of the group ${nameOf('group', group)}`
  if (room !== undefined) return `${noun} in ${nameOf('room', room)}`
  return floor === undefined ? noun : `${noun} on ${nameOf('floor', floor)}`
}

export function sceneName(id: string, names: DisplayNames): string {
  return names.scene(id) ?? OUTSIDE
}

export function personName(id: string, names: DisplayNames): string {
  return names.person(id) ?? OUTSIDE
}

export function modeName(id: string, names: DisplayNames): string {
  return names.mode(id) ?? OUTSIDE
}

export function calendarName(id: string, names: Pick<DisplayNames, 'calendar'>): string {
  return names.calendar(id) ?? OUTSIDE
}

/**
 * Times as people in the home say them: `at 14:03`, or `at 14:03 on 2027-03-04` for a day before the last one of the
 * period.
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
    const time = `at ${clockWords(minute)}`
    return day === this.#today ? time : `${time} on ${dateWords(day)}`
  }
}

export const dateWords = (day: LocalDay): string => String(day).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')

/** `06:30` for a minute of the day. */
export function clockWords(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** Name of a kind of value, the unit behind its numbers, and the words for its flag. */
interface KindWords {
  readonly words: string
  readonly unit?: string
  readonly flag?: readonly [yes: string, no: string]
}

const READINGS: Readonly<Record<ReadingKind, KindWords>> = {
  temperature: { words: 'temperature', unit: ' °C' },
  humidity: { words: 'humidity', unit: ' %' },
  light: { words: 'light', unit: ' lux' },
  motion: { words: 'motion', flag: ['seen', 'not seen'] },
  co2: { words: 'CO2', unit: ' ppm' },
  door: { words: 'door', flag: ['open', 'closed'] },
  battery: { words: 'battery', unit: ' %' },
  power: { words: 'power', unit: ' W' },
  smoke: { words: 'smoke', flag: ['detected', 'not detected'] },
  water: { words: 'water', flag: ['detected', 'not detected'] },
  tamper: { words: 'tampering', flag: ['detected', 'not detected'] },
  energy: { words: 'energy', unit: ' Wh' },
}
const FIELDS: Readonly<Record<StateField, KindWords>> = {
  on: { words: 'power', flag: ['on', 'off'] },
  bri: { words: 'brightness', unit: ' %' },
  mode: { words: 'mode' },
  pos: { words: 'position', unit: ' %' },
  move: { words: 'movement' },
  temp: { words: 'set temperature', unit: ' °C' },
  fan: { words: 'fan' },
  key: { words: 'last key' },
  locked: { words: 'lock', flag: ['locked', 'unlocked'] },
}

const KINDS = { ...READINGS, ...FIELDS }

/** Time span as people say it: `1.5 s`, `10 min`, `1 h 30 min`. */
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

/** Value of a state or reading for people, or `unknown`. */
export function valueWords(kind: StateField | ReadingKind, value: Value | null | undefined): string {
  if (value === null || value === undefined) return 'unknown'
  const { unit = '', flag } = KINDS[kind]
  if (typeof value === 'string') return plainWord(value)
  if (typeof value === 'number') return `${value}${unit}`
  return flag === undefined ? String(value) : flag[value ? 0 : 1]
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
