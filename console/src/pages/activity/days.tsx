import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { AdminActivityEntry } from '../../lib/admin-contract.ts'
import { folded } from './folded-activity.ts'
import { gatewayTime } from '../../stores/gateway-clock.ts'
import { dayOf, dayWords } from '../../stores/home-time.ts'
import { words } from '../../words/activity.ts'
import { Entry } from './entry.tsx'

const DAY_MS = 86_400_000

/** Entries under their days, by the home's calendar. */
export function Days({ entries }: { readonly entries: readonly AdminActivityEntry[] }): JSX.Element {
  const unfolded = useSignal<ReadonlySet<string>>(new Set())
  const days = new Map<string, AdminActivityEntry[]>()
  for (const entry of entries) {
    const day = dayOf(entry.at)
    const ofDay = days.get(day)
    if (ofDay) ofDay.push(entry)
    else days.set(day, [entry])
  }
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} class="day" aria-label={nameOf(day, ofDay)}>
          <h2>{nameOf(day, ofDay)}</h2>
          <ol>
            {folded(ofDay).map((repeats) => (
              <Entry key={repeats.at(-1)?.id} entry={repeats[0]} earlier={repeats.slice(1)} unfolded={unfolded} />
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

function nameOf(day: string, [first]: readonly AdminActivityEntry[]): string {
  const now = gatewayTime()
  if (day === dayOf(now)) return words.today
  return day === dayOf(now - DAY_MS) ? words.yesterday : dayWords(first?.at ?? 0)
}
