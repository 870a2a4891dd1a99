import { ZoneTime } from '../../lib/zone-time.ts'
import { clockWords, dateWords } from './values.ts'

/** Energy as people read it: `1,321 kWh`, `0.4 kWh`. */
export function energyWords(mwh: number): string {
  const kwh = mwh / 1e6
  return `${kwh.toLocaleString('en-GB', { maximumFractionDigits: kwh < 100 ? 2 : 0 })} kWh`
}

/** A range of time in the home: `from 2027-03-04 14:03 to 2027-03-09 08:00`. */
export function rangeWords(timeZone: string, from: number, to: number): string {
  const zone = new ZoneTime(timeZone)
  const say = (at: number): string => {
    const { day, minute } = zone.at(at)
    return `${dateWords(day)} ${clockWords(minute)}`
  }
  return `from ${say(from)} to ${say(to)}`
}

/** Length of a silence: `5 days`, `3 hours`, `12 minutes`. */
export function silenceWords(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, size]) => ms >= 2 * size) ?? UNITS[2]
  const count = Math.max(1, Math.round(ms / unitMs))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
