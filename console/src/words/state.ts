import type { Control, HomeDevice, SensorState } from '@hm-gateway/client/src/browser.ts'
import { words } from './device.ts'

/** State fields differ by class. */
type Fields = Readonly<Record<string, unknown>>
type WithState = Pick<HomeDevice, 'class' | 'state'>

/** Confirmed state or measurements of a device in words, `On · 40 %`; null before its first report. */
export function stateWords({ class: is, state }: WithState): string | null {
  if (state === null) return null
  const fields = state as unknown as Fields
  if (is === 'sensor' || is === 'meter') return measuredWords(fields).join(' · ')
  return switchWords(is, fields).join(' · ')
}

/** False also for devices that cannot be on. */
export function isOn({ state }: Pick<HomeDevice, 'state'>): boolean {
  return state !== null && (state as unknown as Fields)['on'] === true
}

/** A number of the state; null if the class has no such field. */
export function numberIn({ state }: Pick<HomeDevice, 'state'>, field: 'bri' | 'pos' | 'temp'): number | null {
  const value = (state as unknown as Fields | null)?.[field]
  return typeof value === 'number' ? value : null
}

/** A field of the state; undefined if the class has no such field. */
export function fieldOf({ state }: Pick<HomeDevice, 'state'>, field: string): unknown {
  return (state as unknown as Fields | null)?.[field]
}

/** Measurements with names: `Temperature`, `20.4 °C`. */
export function measures(reading: Partial<SensorState> | Fields): readonly Measure[] {
  const fields: Fields = { ...reading }
  return (Object.keys(words.measures) as (keyof typeof words.measures)[]).flatMap((field) => {
    const value = fields[field]
    const name = words.measures[field]
    if (field === 'energy' && typeof value === 'number') return [{ name, value: energyWords(value), isAlarm: false }]
    if (typeof value === 'number') return [{ name, value: numberWords(value, UNITS[field] ?? ''), isAlarm: false }]
    if (typeof value !== 'boolean') return []
    return [{ name, value: booleanWords(field, value), isAlarm: value && Object.hasOwn(words.alarms, field) }]
  })
}

export interface Measure {
  readonly name: string
  readonly value: string
  readonly isAlarm: boolean
}

const booleanWords = (field: string, is: boolean): string =>
  field === 'door' ? words.door[is ? 'open' : 'closed'] : words.detected[is ? 'yes' : 'no']

/** Short measurements for one line: `20.4 °C`, `43 %`. */
function measuredWords(reading: Partial<SensorState> | Fields): readonly string[] {
  const fields: Fields = { ...reading }
  return [
    ...flagWords(fields, 'smoke', words.alarms.smoke, words.noSmoke),
    ...flagWords(fields, 'water', words.alarms.water, words.noWater),
    ...(fields['tamper'] === true ? [words.alarms.tamper] : []),
    ...MEASURED.flatMap((field) => {
      const value = fields[field]
      return typeof value === 'number' ? [numberWords(value, UNITS[field] ?? '')] : []
    }),
    ...flagWords(fields, 'door', words.door.open, words.door.closed),
    ...flagWords(fields, 'motion', words.motion, words.noMotion),
    ...(typeof fields['battery'] === 'number' ? [words.battery(numberWords(fields['battery'], '%'))] : []),
  ]
}

/** Target of a command: `60 %`, `Off`. */
export function controlWords({ op, args = {} }: Control): string {
  if (args.on !== undefined) return args.on ? words.on : words.off
  const percent = args.bri ?? args.pos
  if (percent !== undefined) return numberWords(percent, '%')
  if (args.temp !== undefined) return numberWords(args.temp, '°C')
  if (args.mode !== undefined) return { ...words.modes, ...words.acModes }[args.mode]
  if (args.fan !== undefined) return words.fans[args.fan]
  if (args.key !== undefined) return words.keys[args.key]
  return op.replaceAll('_', ' ')
}

/** A number with its unit and a no-break space: `20.4 °C`. */
export const numberWords = (value: number, unit: string): string =>
  `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })}\u00a0${unit}`

/** Bills use kWh, and counters grow to megawatt-hours. */
const energyWords = (wattHours: number): string => numberWords(wattHours / 1_000, 'kWh')

const MEASURED = ['temperature', 'humidity', 'light', 'co2', 'power'] as const
const UNITS: Readonly<Record<string, string>> = {
  temperature: '°C',
  humidity: '%',
  light: 'lx',
  co2: 'ppm',
  power: 'W',
  battery: '%',
}

function switchWords(is: HomeDevice['class'], fields: Fields): readonly string[] {
  if (typeof fields['pos'] === 'number') return coverWords(fields['pos'], fields['move'])
  if (typeof fields['locked'] === 'boolean') return [fields['locked'] ? words.locked : words.unlocked]
  if (is === 'ir_remote') return remoteWords(fields['key'])
  if (fields['on'] !== true) return [words.off]
  return [
    words.on,
    ...(typeof fields['bri'] === 'number' ? [numberWords(fields['bri'], '%')] : []),
    ...(is === 'ac' ? [wordOf(words.acModes, fields['mode'])] : []),
    ...(typeof fields['temp'] === 'number' ? [numberWords(fields['temp'], '°C')] : []),
  ]
}

function coverWords(pos: number, move: unknown): readonly string[] {
  const place = pos === 0 ? words.closed : pos === 100 ? words.open : `${words.open} ${numberWords(pos, '%')}`
  if (move === 'opening') return [words.opening, numberWords(pos, '%')]
  if (move === 'closing') return [words.closing, numberWords(pos, '%')]
  return [place]
}

const remoteWords = (key: unknown): readonly string[] => [
  typeof key === 'string' ? words.keySent(wordOf(words.keys, key)) : words.noKey,
]

function flagWords(fields: Fields, field: string, yes: string, no: string): readonly string[] {
  return typeof fields[field] === 'boolean' ? [fields[field] ? yes : no] : []
}

/** Unknown words of a newer gateway stay as they are. */
const wordOf = (known: Readonly<Record<string, string>>, word: unknown): string => known[String(word)] ?? String(word)
