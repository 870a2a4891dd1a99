import { parseCommand, OPERATIONS, type UnitSchedule, MODES, type BusDown, type Detection } from '../model/device.ts'
import { WEEKDAYS } from '../model/rules.ts'
import { commandWords } from './commands.ts'
import { timeWords } from './rules.ts'

export function detectionWords(detection: Detection, value: boolean): string {
  switch (detection) {
    case 'motion':
      return value ? 'motion detected' : 'no more motion'
    case 'door':
      return value ? 'door opened' : 'door closed'
    case 'smoke':
      return value ? 'smoke detected' : 'no more smoke'
    case 'water':
      return value ? 'water detected' : 'no more water'
    case 'tamper':
      return value ? 'tampered with' : 'no longer tampered with'
  }
}

export function reachabilityWords(reachable: boolean): string {
  return reachable ? 'answers again' : 'stopped answering'
}

export function linkWords(down: BusDown | null): string {
  switch (down) {
    case null:
      return 'the unit adapter carries frames again'
    case 'port':
      return 'the unit adapter was lost: its port cannot be opened'
    case 'silent':
      return 'the unit adapter was lost: it does not answer'
    case 'radio':
      return 'the unit adapter was lost: its radio is down'
  }
}

/** Modes in which a unit acts by itself; an air conditioner's modes are another thing. */
export function modeWords(name: string, mode: string): string | null {
  switch (MODES.find((known) => known === mode)) {
    case 'auto':
      return `${name} is in Auto mode, as last confirmed: its own sensors and timers may move it.`
    case 'eco':
      return `${name} is in Eco mode, as last confirmed: its own sensors and timers may move it to save energy.`
    case 'sleep':
      return `${name} is in Sleep mode, as last confirmed: it goes off by itself when the sleep time is over.`
    case 'manual':
    case undefined:
      return null
  }
}

/** What a unit's own schedule does: `turn on`; an operation that nobody knows by its name. */
export function ownCommandWords({ op, args }: Pick<UnitSchedule, 'op' | 'args'>): string {
  const known = OPERATIONS.find((each) => each === op)
  const command = known && parseCommand(known, args)
  return command?.ok ? commandWords(command.value) : op
}

/** What a unit's own schedule does and when: `turn on at 07:00 on Mon-Fri`. */
export function ownScheduleWords(schedule: UnitSchedule): string {
  const days = WEEKDAYS.filter((day) => schedule.days.includes(day))
  return `${ownCommandWords(schedule)} ${timeWords({ time: schedule.time, days })}`
}

/** A schedule that the unit itself keeps, as one sentence. */
export function unitScheduleWords(name: string, schedule: UnitSchedule): string {
  const off = schedule.enabled ? '' : ', but it is off'
  return `${name} has a schedule of its own, as last read: ${ownScheduleWords(schedule)}${off}.`
}
