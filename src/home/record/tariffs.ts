import type { Clock } from '../../lib/clock.ts'
import { type Result, ok } from '../../lib/result.ts'
import type { Cause, HomeEvent } from '../model/events.ts'
import type { HomeInfo } from '../model/house.ts'
import type { UnitOfWork } from '../ports/activity-log.ts'
import type { TariffStore } from '../ports/energy-store.ts'
import type { Energy } from './energy.ts'
import { type TariffPlan, parseTariffs } from './tariff.ts'

/** The stored tariffs. Null if there are none, or if this version cannot read them. */
export function loadTariffs(store: Pick<TariffStore, 'load'>): TariffPlan | null {
  const content = store.load()
  if (content === null) return null
  const parsed = parseTariffs(content)
  return parsed.ok ? parsed.value : null
}

interface TariffsParts {
  readonly store: TariffStore
  readonly work: UnitOfWork
  readonly energy: Pick<Energy, 'setBasis'>
  readonly home: () => HomeInfo
  readonly clock: Clock
}

/** Sets the tariffs, and keeps the energy sums in step with them and with the home's time zone. */
export class Tariffs {
  readonly #parts: TariffsParts
  #timeZone: string

  constructor(parts: TariffsParts) {
    this.#parts = parts
    this.#timeZone = parts.home().timeZone
  }

  /** The stored content of the tariff file, or null. */
  content(): unknown {
    return this.#parts.store.load()
  }

  /**
   * Checks and stores the content of a tariff file (already read as YAML or JSON). Resolves when all costs are computed
   * again; until then the old ones answer. The error is one sentence about the file.
   */
  async set(content: unknown, cause: Cause): Promise<Result<TariffPlan, string>> {
    const parsed = parseTariffs(content)
    if (!parsed.ok) return parsed
    const names = parsed.value.tariffs.map((tariff) => tariff.name).join(', ')
    this.#change(() => this.#parts.store.save(content), `tariff set to ${names}`, cause)
    await this.#parts.energy.setBasis(this.#timeZone, parsed.value)
    return ok(parsed.value)
  }

  /** Removes the tariffs: costs are null from then on. */
  async clear(cause: Cause): Promise<void> {
    this.#change(() => this.#parts.store.clear(), 'tariff removed', cause)
    await this.#parts.energy.setBasis(this.#timeZone, null)
  }

  /** Rebuilds the sums after the home's time zone changed, because its days start at other times. */
  onHomeEvent(event: HomeEvent): void {
    const { timeZone } = this.#parts.home()
    if (event.kind !== 'structure' || timeZone === this.#timeZone) return
    this.#timeZone = timeZone
    void this.#parts.energy.setBasis(timeZone, loadTariffs(this.#parts.store))
  }

  #change(write: () => void, what: string, cause: Cause): void {
    this.#parts.work.change((record) => {
      write()
      record({ at: this.#parts.clock.now(), kind: 'edited', subject: { kind: 'home' }, what, cause })
    })
  }
}

export interface CostSources {
  readonly tariffs: Pick<Tariffs, 'content'>
  readonly energy: Pick<Energy, 'priced'>
}

/**
 * Warns about amounts of money that would change their currency without a conversion, in one sentence; null if there
 * are none. Prices and sums are stored as plain numbers.
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
  return `Changing the currency converts no amounts: ${amounts.join(', and ')}, would then be shown in ${to}.`
}
