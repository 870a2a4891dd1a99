import { table, visible } from '../../shell/terminal.ts'
import type { ClientContext, OpenHome } from '../home/client-context.ts'
import { distinctName } from '../home/name-match.ts'

export const PERIODS = ['hour', 'day', 'week', 'month', 'year'] as const
export const PARTS = ['room', 'floor', 'device'] as const

export interface EnergyOptions {
  readonly period: (typeof PERIODS)[number]
  readonly by?: (typeof PARTS)[number]
}

interface Sum {
  readonly name: string
  readonly id: string | null
  readonly energy: number
  readonly cost: number | null
}

/** `hm energy`: energy of the home, or of its rooms, floors or devices, highest first. */
export async function energy(context: ClientContext, { period, by }: EnergyOptions): Promise<void> {
  const home = await context.open()
  const whole = await home.ask((client) => client.energy({ period }))
  const { house, from, to, currency, tariff, gone } = whole
  const money = (cost: number | null): string => (cost === null ? '-' : `${cost.toFixed(2)} ${currency}`)
  const total = { energy: whole.energy, cost: whole.cost }
  const parts = by === undefined ? [] : await partsOf(home, period, by)
  const answer = {
    house,
    period,
    from,
    to,
    ...total,
    currency,
    tariff,
    ...(by === undefined ? {} : { by, parts }),
    ...(gone === undefined ? {} : { gone }),
  }
  const removedLine = gone === undefined ? '' : `\n${kilo(gone.energy)} of this is from removed devices.`
  const text =
    by === undefined
      ? `${house} used ${kilo(whole.energy)} this ${period}${whole.cost === null ? '' : `, for ${money(whole.cost)}`}.`
      : table(
          [by.toUpperCase(), 'ENERGY', 'COST'],
          [...parts, { ...total, name: 'whole home' }].map((part) => [
            visible(part.name),
            kilo(part.energy),
            money(part.cost),
          ]),
        )
  context.show(answer, () => text + removedLine)
}

/** Calls run one after the other; the rate limit would refuse many at once. */
async function partsOf(home: OpenHome, period: EnergyOptions['period'], by: (typeof PARTS)[number]): Promise<Sum[]> {
  const { rooms, floors, things } = home
  const parts = { room: rooms, floor: floors, device: things.filter(({ kind }) => kind !== 'module') }[by]
  const nameOf = distinctName(parts)
  const sums: Sum[] = []
  for (const part of parts) {
    const { energy: taken, cost } = await home.ask((client) => client.energy({ scope: `${by}:${part.id}`, period }))
    sums.push({ name: nameOf(part), id: part.id, energy: taken, cost })
  }
  return sums.toSorted((one, other) => other.energy - one.energy)
}

const kilo = (wattHours: number): string => `${(wattHours / 1000).toFixed(2)} kWh`
