import { now } from './clock.ts'
import { house } from './home.ts'

/** A moment (epoch milliseconds) by the clocks of the home, wherever this browser is: `20:14`, of another day `22 Nov, 20:14`. */
export function homeTime(at: number): string {
  const isToday = inHome(at, DATE) === inHome(now.value, DATE)
  return inHome(at, isToday ? TIME : { ...DATE, ...TIME })
}

/** A moment of the home, written as this browser writes dates. */
export function inHome(at: number, how: Intl.DateTimeFormatOptions): string {
  const timeZone = house.value?.timeZone
  return new Date(at).toLocaleString(undefined, { ...how, ...(timeZone === undefined ? {} : { timeZone }) })
}

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
