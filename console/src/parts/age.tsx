import type { JSX } from 'preact'
import { ageWords, momentWords } from '../age-words.ts'
import { now } from '../stores/clock.ts'

/** How long ago something was; it goes on by itself. `at` in epoch milliseconds. */
export function Age({ at }: { readonly at: number }): JSX.Element {
  const words = ageWords(at, now.value)
  return (
    <time dateTime={new Date(at).toISOString()} title={momentWords(at)}>
      {words}
    </time>
  )
}
