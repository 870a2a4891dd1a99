import { Temporal } from 'temporal-polyfill'
import { momentOf } from '../../home/rules/time/local-time.ts'

/** Local time of the nightly backup. */
export const NIGHTLY_AT = '03:10'
/** Longest random delay: homes that share a disk should not all write at once. */
export const SPREAD_MS = 15 * 60_000

/**
 * The first nightly backup after a moment, in epoch ms. A time that the clocks skip becomes the end of the gap; a time
 * that comes twice counts once.
 */
export function nightAfter(after: number, zone: string, spreadMs: number): number {
  let date = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(zone).toPlainDate()
  for (;;) {
    const at = momentOf(date, NIGHTLY_AT, zone)
    if (at !== null && at + spreadMs > after) return at + spreadMs
    date = date.add({ days: 1 })
  }
}
