import type { HomeDevice } from '../../client/src/browser.ts'
import { words } from './words/frame.ts'

/** States differ by class; these are the fields that any of them may have. */
type Fields = Readonly<Record<string, unknown>>

const MEASURED = [
  ['temperature', '°C'],
  ['humidity', '%'],
  ['light', 'lx'],
  ['co2', 'ppm'],
  ['power', 'W'],
] as const

/** The confirmed state of a device, as a tile tells it: `On · 40 %`. */
export function stateWords({ state, reachable }: Pick<HomeDevice, 'state' | 'reachable'>): string {
  if (!reachable) return words.unreachable
  if (state === null) return words.noState
  const fields = state as unknown as Fields
  return [...ownWords(fields), ...measuredWords(fields)].join(' · ')
}

export function isOn(state: HomeDevice['state']): boolean {
  return state !== null && (state as unknown as Fields)['on'] === true
}

function ownWords({ on, bri, pos, temp, locked, door, motion }: Fields): readonly string[] {
  if (on === false) return [words.off]
  return [
    ...(on === true ? [words.on] : []),
    ...(typeof bri === 'number' ? [number(bri, '%')] : []),
    ...(typeof pos === 'number' ? [positionWords(pos)] : []),
    ...(typeof temp === 'number' ? [number(temp, '°C')] : []),
    ...(typeof locked === 'boolean' ? [locked ? words.locked : words.unlocked] : []),
    ...(typeof door === 'boolean' ? [door ? words.open : words.closed] : []),
    ...(motion === true ? [words.motion] : []),
  ]
}

function positionWords(pos: number): string {
  if (pos === 0) return words.closed
  return pos === 100 ? words.open : `${words.open} ${number(pos, '%')}`
}

function measuredWords(fields: Fields): readonly string[] {
  return MEASURED.flatMap(([field, unit]) => {
    const value = fields[field]
    return typeof value === 'number' ? [number(value, unit)] : []
  })
}

const number = (value: number, unit: string): string =>
  `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`
