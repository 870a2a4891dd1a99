import { Temporal } from 'temporal-polyfill'
import { momentOf } from '../../home/rules/time/occurrence.ts'

/** Backups are made at night, by the home's clock, */
export const NIGHTLY_AT = '03:10'
/** and up to so much later, so that homes that share a disk do not all write at once. */
export const SPREAD_MS = 15 * 60_000

/**
 * The first night after a moment, in epoch ms. Where the clocks skip the time it is the first moment after the gap; a
 * time that comes twice is taken once.
 */
export function nightAfter(after: number, zone: string, spreadMs: number): number {
  let date = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(zone).toPlainDate()
  for (;;) {
    const at = momentOf(date, NIGHTLY_AT, zone)
    if (at !== null && at + spreadMs > after) return at + spreadMs
    date = date.add({ days: 1 })
  }
}
