import { styleText } from 'node:util'
import type { Paths } from '@hm-gateway/client/src/contract.ts'
import type { Thing } from '../home/name-match.ts'

/** Colours, if standard output is a terminal that wants them (NO_COLOR, FORCE_COLOR); plain text elsewhere. */
const style = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout })

/** Style of things that are on. */
export const lit = (text: string): string => style('yellow', text)
/** Style of details: times, rooms. */
export const faint = (text: string): string => style('dim', text)
/** Style of faults. */
export const broken = (text: string): string => style('red', text)
/** Style of healthy things. */
export const sound = (text: string): string => style('green', text)

type ListedClass = NonNullable<NonNullable<Paths['/v1/house']['get']['query']>['class']>

/** Exhaustive: the groups by which devices are listed and controlled. */
const GROUPS: Readonly<Record<Extract<ListedClass, 'light' | 'cover' | 'socket' | 'climate'>, true>> = {
  light: true,
  cover: true,
  socket: true,
  climate: true,
}

/** Groups that this version knows. */
export const DEVICE_GROUPS: readonly string[] = Object.keys(GROUPS)

/** Exhaustive: all classes of the contract. */
const KNOWN: Readonly<Record<Exclude<ListedClass, 'scene' | 'group' | keyof typeof GROUPS>, true>> = {
  light_switch: true,
  light_dimmer: true,
  shutter: true,
  curtain: true,
  power_switch: true,
  sense_switch: true,
  ac: true,
  ir_remote: true,
  lock: true,
  gate: true,
  sensor: true,
  meter: true,
  gang_module: true,
  switch_gang: true,
  shutter_gang: true,
}

/** Device classes that this version knows; a newer gateway may have others. */
export const DEVICE_CLASSES: readonly string[] = Object.keys(KNOWN)

type Values = Readonly<Record<string, string | number | boolean | null>>

const kilowattHours = (value: unknown): string => (Number(value) / 1_000).toFixed(2)
const round = (value: unknown): string => String(Math.round(Number(value) * 10) / 10)

/** The words of each reading. A flag that is false has none, except a door. Alarms come first. */
const READINGS: Readonly<Record<string, (value: unknown) => string>> = {
  smoke: (value) => (value === true ? 'SMOKE' : ''),
  water: (value) => (value === true ? 'WATER' : ''),
  tamper: (value) => (value === true ? 'tampered with' : ''),
  temperature: (value) => `${round(value)} °C`,
  humidity: (value) => `${round(value)} % humidity`,
  light: (value) => `${round(value)} lux`,
  motion: (value) => (value === true ? 'motion' : ''),
  co2: (value) => `${round(value)} ppm CO2`,
  door: (value) => (value === true ? 'open' : 'closed'),
  battery: (value) => `battery ${round(value)} %`,
  power: (value) => `${round(value)} W`,
  energy: (value) => `${kilowattHours(value)} kWh`,
}

/** The state of a device as a phrase: `on, 40 %`; the last confirmed one if the device does not respond. */
export function stateWords({
  kind,
  class: of,
  state,
  reachable,
}: Omit<Thing, 'id' | 'name' | 'room' | 'floor' | 'operations'>): string {
  if (kind === 'module' && state === null) return reachable ? '-' : 'does not answer'
  const words = state === null ? 'no state yet' : valueWords(of, state as unknown as Values)
  return reachable ? words : `${words} (does not answer)`
}

function valueWords(of: string, state: Values): string {
  switch (of) {
    case 'light_dimmer':
      return state['on'] === true ? `on, ${String(state['bri'])} %` : 'off'
    case 'power_switch':
      return `${onOff(state)}${state['temp'] === null ? '' : `, to ${String(state['temp'])} °C`}`
    case 'ac':
      return state['on'] === true
        ? `${String(state['mode'])} to ${String(state['temp'])} °C, fan ${String(state['fan'])}`
        : 'off'
    case 'lock':
      return state['locked'] === true ? 'locked' : 'unlocked'
    case 'ir_remote':
      return state['key'] === null ? '-' : `sent ${String(state['key'])}`
    default:
      return otherWords(state)
  }
}

/** Words of covers, switches and sensors, chosen by the fields of the state. */
function otherWords(state: Values): string {
  if ('pos' in state) {
    const pos = Number(state['pos'])
    const where = pos === 0 ? 'closed' : `${pos} % open`
    if (state['move'] === 'unknown') return `${where} at its last report, movement unknown`
    return state['move'] === 'stopped' ? where : `${String(state['move'])}, ${where}`
  }
  if ('on' in state) return onOff(state)
  return readingWords(state)
}

/** Readings as a phrase: `21.4 °C, motion`. */
export function readingWords(readings: object): string {
  const values = readings as Values
  const words = Object.entries(READINGS).map(([name, say]) => (values[name] === undefined ? '' : say(values[name])))
  return words.filter((word) => word !== '').join(', ') || '-'
}

const onOff = (state: Values): string => (state['on'] === true ? 'on' : 'off')
