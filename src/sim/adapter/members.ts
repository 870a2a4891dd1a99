import type { Agenda } from '../agenda.ts'
import type { Report, UnitInfo } from '../bus-types.ts'
import type { RadioNetwork, RadioUnit } from './radio-unit.ts'

/** So many requests in a row without an answer make a unit lost. */
const MISSED_MAX = 3

/** What the adapter knows of its units: when it last heard of them, and which are lost. */
export class Members {
  readonly #agenda: Agenda
  readonly #network: RadioNetwork
  readonly #tell: (report: Report) => void
  readonly #heardAt = new Map<number, number>()
  readonly #missed = new Map<number, number>()
  readonly #lost = new Set<number>()

  constructor(agenda: Agenda, network: RadioNetwork, tell: (report: Report) => void) {
    this.#agenda = agenda
    this.#network = network
    this.#tell = tell
  }

  info(unit: RadioUnit): UnitInfo {
    return { ...unit.info, reachable: !this.#lost.has(unit.address) }
  }

  /** Milliseconds since the unit was last heard. */
  silentMs(address: number): number {
    return this.#agenda.now() - (this.#heardAt.get(address) ?? -Infinity)
  }

  heard(address: number): void {
    this.#heardAt.set(address, this.#agenda.now())
    this.#missed.delete(address)
    if (this.#lost.delete(address)) this.#report(address, 'back')
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
    this.#report(address, 'lost')
  }

  #report(address: number, change: 'lost' | 'back'): void {
    const unit = this.#network.unit(address)
    if (unit !== undefined) this.#tell({ kind: 'unit', change, unit: this.info(unit) })
  }
}
