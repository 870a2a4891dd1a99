import type { JSX } from 'preact'
import { now } from '../stores/gateway-clock.ts'
import { homeTime, momentWords } from '../stores/home-time.ts'
import { words } from '../words/frame.ts'

/** How long ago something was; it goes on by itself. `at` in epoch milliseconds. */
export function Age({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={momentWords(at)}>
      {ageWords(at)}
    </time>
  )
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** How long ago `at` was: `just now`, `12 min ago`, after a day its date and time at home. */
function ageWords(at: number): string {
  const ms = now.value - at
  if (ms < 10_000) return words.justNow
  if (ms < MINUTE) return words.ago(`${Math.floor(ms / 5_000) * 5} s`)
  if (ms < HOUR) return words.ago(`${Math.floor(ms / MINUTE)} min`)
  if (ms < DAY) return words.ago(`${Math.floor(ms / HOUR)} h`)
  return homeTime(at)
}
