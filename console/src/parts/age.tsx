import type { JSX } from 'preact'
import { ageWords } from '../age-words.ts'
import { now } from '../stores/gateway-clock.ts'
import { momentWords } from '../stores/home-time.ts'

/** How long ago something was; it goes on by itself. `at` in epoch milliseconds. */
export function Age({ at }: { readonly at: number }): JSX.Element {
  const words = ageWords(at, now.value)
  return (
    <time dateTime={new Date(at).toISOString()} title={momentWords(at)}>
      {words}
    </time>
  )
}
