import { type ZoneTime, addDays } from '../../lib/zone-time.ts'
import { type Range, bucketStarts } from './energy-range.ts'
import { type TariffPlan, tariffOn } from './tariff.ts'

/** The charges of the days in a range: of a part of a day, that part of its charge. */
export function standing(tariffs: TariffPlan, zone: ZoneTime, range: Range): number {
  let total = 0
  for (const start of range.to > range.from ? bucketStarts(range, 'day', zone) : []) {
    const { day } = zone.at(start)
    const perDay = tariffOn(tariffs, day).standingPerDay
    if (perDay === 0) continue
    const [from, to] = [zone.startOfDay(day), zone.startOfDay(addDays(day, 1))]
    total += (perDay * (Math.min(to, range.to) - start)) / (to - from)
  }
  return total
}
