import type { Agenda } from '../agenda.ts'
import type { Report, UnitInfo } from '../bus-types.ts'
import type { RadioNetwork, RadioUnit } from './radio-unit.ts'

/** So many requests in a row without an answer make a unit lost. */
const MISSED_MAX = 3

export interface MembersParts {
  readonly agenda: Agenda
  readonly network: RadioNetwork
  readonly report: (report: Report) => void
}

/** What the adapter knows of its units: when each last answered or reported, and which are lost. */
export class Members {
  readonly #parts: MembersParts
  readonly #seenAt = new Map<number, number>()
  readonly #missed = new Map<number, number>()
  readonly #lost = new Set<number>()

  constructor(parts: MembersParts) {
    this.#parts = parts
  }

  info(unit: RadioUnit): UnitInfo {
    return { ...unit.info, reachable: !this.#lost.has(unit.address) }
  }

  /** Milliseconds since the unit was last answered or reported. */
  silentMs(address: number): number {
    return this.#parts.agenda.now() - (this.#seenAt.get(address) ?? -Infinity)
  }

  seen(address: number): void {
    this.#seenAt.set(address, this.#parts.agenda.now())
    this.#missed.delete(address)
    if (this.#lost.delete(address)) this.#changed(address, 'back')
  }

  missed(address: number): void {
    const missed = (this.#missed.get(address) ?? 0) + 1
    this.#missed.set(address, missed)
    if (missed >= MISSED_MAX) this.lose(address)
  }

  /** Counts a unit as lost: requests or expected reports stayed out. */
  lose(address: number): void {
    if (this.#lost.has(address)) return
    this.#lost.add(address)
    this.#changed(address, 'lost')
  }

  #changed(address: number, change: 'lost' | 'back'): void {
    const unit = this.#parts.network.unit(address)
    if (unit !== undefined) this.#parts.report({ kind: 'unit', change, unit: this.info(unit) })
  }
}
