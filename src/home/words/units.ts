import { parseCommand, OPERATIONS, type UnitSchedule, type BusDown, type Detection } from '../model/device.ts'
import { WEEKDAYS } from '../model/rules.ts'
import { commandWords } from './commands.ts'
import { timeWords } from './rules.ts'

export function detectionWords(detection: Detection, value: boolean): string {
  return DETECTED[detection][value ? 0 : 1]
}

const DETECTED: Readonly<Record<Detection, readonly [begins: string, ends: string]>> = {
  motion: ['motion detected', 'no more motion'],
  door: ['door opened', 'door closed'],
  smoke: ['smoke detected', 'no more smoke'],
  water: ['water detected', 'no more water'],
  tamper: ['tampered with', 'no longer tampered with'],
}

export function reachabilityWords(reachable: boolean): string {
  return reachable ? 'answers again' : 'stopped answering'
}

export function linkWords(down: BusDown | null): string {
  return down === null ? 'the unit adapter carries frames again' : `the unit adapter was lost: ${DOWN[down]}`
}

const DOWN: Readonly<Record<BusDown, string>> = {
  port: 'its port cannot be opened',
  silent: 'it does not answer',
  radio: 'its radio is down',
}

/** Modes in which a unit acts by itself; an air conditioner's modes are not among them. */
export function modeWords(name: string, mode: string): string | null {
  const does = MODES_DO[mode]
  return does === undefined ? null : `${name} is in ${does}`
}

const MODES_DO: Readonly<Record<string, string>> = {
  auto: 'Auto mode, as last confirmed: its own sensors and timers may move it.',
  eco: 'Eco mode, as last confirmed: its own sensors and timers may move it to save energy.',
  sleep: 'Sleep mode, as last confirmed: it goes off by itself when the sleep time is over.',
}

/** Action of a unit's own schedule: `turn on`; an unknown operation by its name. */
export function ownCommandWords({ op, args }: Pick<UnitSchedule, 'op' | 'args'>): string {
  const known = OPERATIONS.find((operation) => operation === op)
  const command = known && parseCommand(known, args)
  return command?.ok ? commandWords(command.value) : op
}

/** Action and time of a unit's own schedule: `turn on at 07:00 on Mon-Fri`. */
export function ownScheduleWords(schedule: UnitSchedule): string {
  const days = WEEKDAYS.filter((day) => schedule.days.includes(day))
  return `${ownCommandWords(schedule)} ${timeWords({ time: schedule.time, days })}`
}

/** A schedule stored in the unit itself, as one sentence. */
export function unitScheduleWords(name: string, schedule: UnitSchedule): string {
  const off = schedule.enabled ? '' : ', but it is off'
  return `${name} has a schedule of its own, as last read: ${ownScheduleWords(schedule)}${off}.`
}
