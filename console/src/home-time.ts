import { house } from './stores/home.ts'

/** A moment by the home's clock, whatever that of the browser shows. `at` in epoch milliseconds. */
export function momentWords(at: number): string {
  const timeZone = house.value?.timeZone
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at)
}
