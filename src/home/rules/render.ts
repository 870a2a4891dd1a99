import { describeCommand } from '../live/wording.ts'
import type { Step } from '../model/house.ts'
import type { ReadingKind } from '../model/state.ts'
import type { Condition, StateField, Test, TimeRule, Trigger, Value, Weekday } from './model.ts'
import { WEEKDAYS } from './model.ts'
import { commandOf } from './references.ts'

/** Names for people; null for what the reader may not see or what is no longer there. */
export interface Names {
  device(key: string): string | null
  scene(id: string): string | null
}

const OUTSIDE = 'something outside this integration'
const DAY_NAMES: Readonly<Record<Weekday, string>> = {
  1: 'Mon',
  2: 'Tue',
  3: 'Wed',
  4: 'Thu',
  5: 'Fri',
  6: 'Sat',
  7: 'Sun',
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

/** `when Hall light: power is on for 10 min`, `at 07:00 on Mon-Fri`, `30 min before sunset`. */
export function renderTrigger(trigger: Trigger, names: Names): string {
  if ('time' in trigger || 'sun' in trigger) return renderTime(trigger)
  if ('scene' in trigger) return `when scene ${sceneName(trigger.scene, names)} starts`
  const device = deviceName(trigger.device, names)
  if ('detection' in trigger)
    return `when ${device} ${trigger.is === false ? 'no longer detects' : 'detects'} ${trigger.detection}`
  const wait = trigger.for === undefined ? '' : ` for ${renderSeconds(trigger.for)}`
  return `when ${device}: ${'state' in trigger ? stateTest(trigger) : readingTest(trigger)}${wait}`
}

/** `Hall light: power is on`, `between 22:00 and 06:00 on Fri`. */
export function renderCondition(condition: Condition, names: Names): string {
  if ('state' in condition) return `${deviceName(condition.device, names)}: ${stateTest(condition)}`
  if ('reading' in condition) return `${deviceName(condition.device, names)}: ${readingTest(condition)}`
  const { after, before, days } = condition
  const window =
    after !== undefined && before !== undefined
      ? `between ${after} and ${before}`
      : after !== undefined
        ? `after ${after}`
        : before !== undefined
          ? `before ${before}`
          : ''
  return `${window}${renderDays(days)}`.trim()
}

/** `Hall light: turn on`, `wait 5 min`, `run scene Evening`. */
export function renderStep(step: Step, names: Names): string {
  if ('delay' in step) return `wait ${renderSeconds(step.delay)}`
  if ('scene' in step) return `run scene ${sceneName(step.scene, names)}`
  return `${deviceName(step.device, names)}: ${describeCommand(commandOf(step))}`
}

/** `at 07:00 on Mon-Fri`, `at sunrise`, `15 min after sunset on Sat, Sun`. */
export function renderTime(rule: TimeRule): string {
  if ('time' in rule) return `at ${rule.time}${renderDays(rule.days)}`
  const offset = rule.offset ?? 0
  const when =
    offset === 0 ? `at ${rule.sun}` : `${Math.abs(offset)} min ${offset < 0 ? 'before' : 'after'} ${rule.sun}`
  return `${when}${renderDays(rule.days)}`
}

/** ` on Mon-Fri`, ` on Mon, Wed`; nothing for every day. */
function renderDays(days: readonly Weekday[] | undefined): string {
  if (days === undefined || days.length === WEEKDAYS.length) return ''
  const sorted = days.toSorted((a, b) => a - b)
  const first = sorted[0]
  const last = sorted.at(-1)
  if (first === undefined || last === undefined) return ' on no day'
  const joined = sorted.length > 2 && last - first === sorted.length - 1
  return ` on ${joined ? `${DAY_NAMES[first]}-${DAY_NAMES[last]}` : sorted.map((day) => DAY_NAMES[day]).join(', ')}`
}

/** A time span as people say it: `1.5 s`, `10 min`, `1 h 30 min`. */
export function renderSeconds(seconds: number): string {
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

/** A value of a state or reading as shown to people, or `unknown`. */
export function renderValue(kind: StateField | ReadingKind, value: Value | null | undefined): string {
  if (value === null || value === undefined) return 'unknown'
  const { unit } = kind in FIELDS ? FIELDS[kind as StateField] : READINGS[kind as ReadingKind]
  if (typeof value !== 'boolean') return `${value}${unit}`
  switch (kind) {
    case 'on':
      return value ? 'on' : 'off'
    case 'locked':
      return value ? 'locked' : 'unlocked'
    case 'door':
      return value ? 'open' : 'closed'
    case 'motion':
      return value ? 'seen' : 'not seen'
    default:
      return String(value)
  }
}

function stateTest(test: Test & { readonly state: StateField }): string {
  return `${FIELDS[test.state].words} ${renderTest(test, test.state)}`
}

function readingTest(test: Test & { readonly reading: ReadingKind }): string {
  return `${READINGS[test.reading].words} ${renderTest(test, test.reading)}`
}

function renderTest(test: Test, kind: StateField | ReadingKind): string {
  if (test.is !== undefined) return `is ${renderValue(kind, test.is)}`
  const above = test.above === undefined ? null : `above ${renderValue(kind, test.above)}`
  const below = test.below === undefined ? null : `below ${renderValue(kind, test.below)}`
  return `is ${[above, below].filter((part) => part !== null).join(' and ')}`
}

function deviceName(key: string, names: Names): string {
  return names.device(key) ?? OUTSIDE
}

function sceneName(id: string, names: Names): string {
  return names.scene(id) ?? OUTSIDE
}
