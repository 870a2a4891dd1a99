import type { Energy } from './energy.ts'
import type { Tariffs } from './tariffs.ts'

export interface CostSources {
  readonly tariffs: Pick<Tariffs, 'content'>
  readonly energy: Pick<Energy, 'priced'>
}

/**
 * Amounts of money that another currency of the home would give another name, in one sentence; null where there are
 * none. Prices and sums are stored as numbers, and nothing converts them.
 */
export function relabelledCosts(from: string, to: string, { tariffs, energy }: CostSources): string | null {
  if (from === to) return null
  const past = energy.priced()
  const amounts = [
    ...(tariffs.content() === null ? [] : [`the prices of the tariff, which are in ${from}`]),
    ...(past === null
      ? []
      : [`${past.cost.toFixed(2)} ${from} of costs since ${String(past.since).replace(/^(\d{4})/, '$1-')}`]),
  ]
  if (amounts.length === 0) return null
  return `Another currency converts nothing: ${amounts.join(', and ')}, would then read as ${to}.`
}
