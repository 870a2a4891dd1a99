import { type LocalDay, ZoneTime } from '../../lib/zone-time.ts'

/**
 * Says times as people in the home do: `at 14:03`, or `at 14:03 on 2027-03-04` for another day than the last one asked
 * about.
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
    const time = `at ${two(Math.floor(minute / 60))}:${two(minute % 60)}`
    return day === this.#today ? time : `${time} on ${String(day).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')}`
  }
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
