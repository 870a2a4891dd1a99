import { homeTime } from './stores/home-time.ts'
import { words } from './words/frame.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** How long ago `at` is at `now`, both in epoch milliseconds: `just now`, `12 min ago`, after a day its date and time at home. */
export function ageWords(at: number, now: number): string {
  const ms = now - at
  if (ms < 10_000) return words.justNow
  if (ms < MINUTE) return words.ago(`${Math.floor(ms / 5_000) * 5} s`)
  if (ms < HOUR) return words.ago(`${Math.floor(ms / MINUTE)} min`)
  if (ms < DAY) return words.ago(`${Math.floor(ms / HOUR)} h`)
  return homeTime(at)
}
