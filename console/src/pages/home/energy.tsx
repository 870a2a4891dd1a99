import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { EnergyGetAnswer } from '../../../../client/src/browser.ts'
import { Card } from '../../parts/card.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Segments } from '../../parts/segments.tsx'
import { connected } from '../../stores/home.ts'
import { owner } from '../../stores/session.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/home.ts'
import { EnergyPlot } from './energy-plot.tsx'

type Range = 'today' | 'days'

const RANGES = [
  { value: 'today', name: words.energyToday },
  { value: 'days', name: words.energyDays },
] as const

const DAY_MS = 86_400_000
/** Besides today. */
const DAYS_BEFORE = 13
/** Counters grow all the time, and no event tells of each watt-hour. */
const READ_EVERY_MS = 60_000

/** What the home took today, by the hour, and in the last days. */
export function Energy(): JSX.Element {
  const range = useSignal<Range>('today')
  const answer = useSignal<EnergyGetAnswer | null>(null)
  const error = useSignal<unknown>(null)
  const chosen = range.value
  const isThere = connected.value
  useEffect(() => {
    if (!isThere) return undefined
    const ending = new AbortController()
    const read = async (): Promise<void> => {
      try {
        answer.value = await owner.energy(queryOf(chosen), { signal: ending.signal })
        error.value = null
      } catch (refusal) {
        if (!ending.signal.aborted) error.value = refusal
      }
    }
    void read()
    const again = setInterval(() => void read(), READ_EVERY_MS)
    return () => {
      clearInterval(again)
      ending.abort()
    }
  }, [chosen, isThere])
  const choose = (next: Range): void => {
    range.value = next
    answer.value = null
  }
  const segments = <Segments legend={words.energyRange} options={RANGES} value={chosen} onChange={choose} />
  return (
    <Card title={words.energy} beside={segments}>
      {error.value !== null && <Problem error={error.value} />}
      {answer.value === null ? (
        <p class="wait plot-wait">{error.value === null && frame.loading}</p>
      ) : (
        <EnergyPlot answer={answer.value} by={chosen === 'today' ? 'hour' : 'day'} />
      )}
    </Card>
  )
}

const queryOf = (range: Range): { period: 'day' } | { from: number } =>
  range === 'today' ? { period: 'day' } : { from: Date.now() - DAYS_BEFORE * DAY_MS }
