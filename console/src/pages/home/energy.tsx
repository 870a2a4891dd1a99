import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Card } from '../../parts/card.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Segments } from '../../parts/segments.tsx'
import { gatewayTime } from '../../stores/gateway-clock.ts'
import { useReading } from '../../stores/reading.ts'
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
const MINUTE_MS = 60_000

/** What the home took today, by the hour, and in the last days. */
export function Energy(): JSX.Element {
  const range = useSignal<Range>('today')
  const minute = useMinutes()
  const read = async () => ({ of: range.value, answer: await owner.energy(queryOf(range.value)) })
  const { value, error, again } = useReading(read, range.value, minute)
  return (
    <Card title={words.energy} beside={<Ranges chosen={range} />}>
      {error !== null && <Problem error={error} onAgain={again} />}
      {value?.of === range.value ? (
        <EnergyPlot answer={value.answer} by={value.of === 'today' ? 'hour' : 'day'} />
      ) : (
        error === null && <p class="wait plot-wait">{frame.loading}</p>
      )}
    </Card>
  )
}

const Ranges = ({ chosen }: { readonly chosen: Signal<Range> }): JSX.Element => (
  <Segments
    legend={words.energyRange}
    options={RANGES}
    value={chosen.value}
    onChange={(range) => {
      chosen.value = range
    }}
  />
)

/** Grows every minute: counters grow all the time, and no event tells of each watt-hour. */
function useMinutes(): number {
  const count = useSignal(0)
  useEffect(() => {
    const timer = setInterval(() => {
      count.value += 1
    }, MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return count.value
}

const queryOf = (range: Range): { period: 'day' } | { from: number } =>
  range === 'today' ? { period: 'day' } : { from: gatewayTime() - DAYS_BEFORE * DAY_MS }
