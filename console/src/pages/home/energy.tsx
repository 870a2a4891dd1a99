import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { EnergyGetAnswer, EnergyPart } from '@hm-gateway/client/src/browser.ts'
import { ErrorBox } from '../../parts/action.tsx'
import { Segments } from '../../parts/form.tsx'
import { Card } from '../../parts/page.tsx'
import { gatewayTime } from '../../stores/gateway-clock.ts'
import { inHome } from '../../stores/home-time.ts'
import { useResource } from '../../stores/use-resource.ts'
import { owner } from '../../stores/session.ts'
import { words as frame } from '../../words/page-frame.ts'
import { words } from '../../words/home.ts'
import { numberWords } from '../../words/state.ts'
import { scaleOf } from './scale.ts'

const RANGES = { today: words.energyToday, days: words.energyDays } as const
type Range = keyof typeof RANGES

const DAY_MS = 86_400_000
/** Days before today. */
const DAYS_BEFORE = 13
const MINUTE_MS = 60_000

/** Energy use of today by hour, or of the last days. */
export function Energy(): JSX.Element {
  const range = useSignal<Range>('today')
  const minute = useMinutes()
  const read = async () => ({ range: range.value, answer: await owner.energy(queryOf(range.value)) })
  const { value, error, reload } = useResource(read, range.value, minute)
  const choose = (next: Range) => (range.value = next)
  const ranges = <Segments legend={words.energyRange} names={RANGES} value={range.value} onChange={choose} />
  return (
    <Card title={words.energy} aside={ranges}>
      {error !== null && <ErrorBox error={error} onRetry={reload} />}
      {value?.range === range.value ? (
        <EnergyPlot answer={value.answer} by={value.range === 'today' ? 'hour' : 'day'} />
      ) : (
        error === null && <p class="wait plot-wait">{frame.loading}</p>
      )}
    </Card>
  )
}

/** Grows every minute, because no event reports energy. */
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

interface EnergyPlotProps {
  readonly answer: EnergyGetAnswer
  /** Time of one bar. */
  readonly by: 'hour' | 'day'
}

/** Sizes in the units of the plot, which is stretched to the width of the page. */
const [HEIGHT, SLOT, BAR] = [100, 10, 7]

/** Bar chart of energy by hour or day, with the sum above and a table below. */
function EnergyPlot({ answer, by }: EnergyPlotProps): JSX.Element {
  const { energy, cost, currency, gone: removed } = answer
  if (energy === 0) return <p class="hint">{words.energyNone}</p>
  const slots = by === 'hour' ? withRestOfDay(answer.series) : answer.series
  const { top, steps } = scaleOf(Math.max(...slots.map((part) => part.energy)) / 1000)
  return (
    <figure class="plot">
      <figcaption>
        <strong>{kilowattHours(energy)}</strong>
        {cost !== null && <span>{money(cost, currency)}</span>}
        {removed !== undefined && <small>{words.energyRemoved(kilowattHours(removed.energy))}</small>}
      </figcaption>
      <div class="bars" aria-hidden="true">
        <ol class="scale">
          {steps.map((step) => (
            <li key={step}>{numberWords(step, 'kWh')}</li>
          ))}
        </ol>
        <svg viewBox={`0 0 ${slots.length * SLOT} ${HEIGHT}`} preserveAspectRatio="none">
          {steps.map((step) => (
            <path key={step} class="grid" d={`M0 ${HEIGHT * (1 - step / top)}h${slots.length * SLOT}`} />
          ))}
          {slots.map((part, place) => (
            <Bar key={part.at} part={part} place={place} top={top} />
          ))}
        </svg>
        <ol class="marks">
          {marksOf(slots, by).map(({ at, text }) => (
            <li key={at}>{text}</li>
          ))}
        </ol>
      </div>
      <EnergyTable answer={answer} by={by} />
    </figure>
  )
}

function Bar({ part: { energy }, place, top }: { part: EnergyPart; place: number; top: number }): JSX.Element {
  const height = (HEIGHT * energy) / 1000 / top
  return <rect x={place * SLOT + (SLOT - BAR) / 2} y={HEIGHT - height} width={BAR} height={height} />
}

function EnergyTable({ answer: { series, cost, currency }, by }: EnergyPlotProps): JSX.Element {
  return (
    <details>
      <summary>{words.energyTable}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{by === 'hour' ? words.energyHour : words.day}</th>
            <th scope="col">{words.energyUse}</th>
            {cost !== null && <th scope="col">{words.cost}</th>}
          </tr>
        </thead>
        <tbody>
          {series.toReversed().map((part) => (
            <tr key={part.at}>
              <th scope="row">{momentOf(part.at, by)}</th>
              <td>{kilowattHours(part.energy)}</td>
              {cost !== null && <td>{part.cost === null ? '' : money(part.cost, currency)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

/** Adds empty slots for the remaining hours of today. */
function withRestOfDay(series: readonly EnergyPart[]): readonly EnergyPart[] {
  const last = series.at(-1)?.at ?? 0
  const missing = Math.max(24 - series.length, 0)
  const rest = Array.from({ length: missing }, (_, hour) => ({
    at: last + (hour + 1) * 3_600_000,
    energy: 0,
    cost: null,
  }))
  return [...series, ...rest]
}

/** Labels for the first, the middle and the last bar. */
function marksOf(slots: readonly EnergyPart[], by: EnergyPlotProps['by']): readonly { at: number; text: string }[] {
  const places = [0, Math.floor(slots.length / 2), slots.length - 1]
  return places.flatMap((place) => {
    const at = slots[place]?.at
    return at === undefined ? [] : [{ at, text: momentOf(at, by) }]
  })
}

const momentOf = (at: number, by: EnergyPlotProps['by']): string =>
  inHome(
    at,
    by === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { weekday: 'short', day: 'numeric', month: 'short' },
  )

const kilowattHours = (wattHours: number): string =>
  `${(wattHours / 1000).toLocaleString(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} kWh`

const money = (amount: number, currency: string): string =>
  amount.toLocaleString(undefined, { style: 'currency', currency })
