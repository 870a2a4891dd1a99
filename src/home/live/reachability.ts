import type { House } from '../house/house.ts'
import type { UnitBus } from '../ports/unit-bus.ts'

interface ReachabilityParts {
  readonly house: Pick<House, 'units'>
  readonly bus: Pick<UnitBus, 'down' | 'units'>
  /** A unit of the house has stopped to answer, or answers again. */
  readonly tell: (unit: string, reachable: boolean) => void
}

/**
 * Which units of the house answer. The bus is asked by address each time, so that no edit of the house, whether a unit
 * is added or its address changes, leaves an outdated word behind; kept is only what was told last.
 */
export class Reachability {
  readonly #parts: ReachabilityParts
  readonly #told = new Map<string, boolean>()

  constructor(parts: ReachabilityParts) {
    this.#parts = parts
    this.lookAtHouse()
  }

  /**
   * False while the bus knows the unit to be silent, and for a unit that the adapter does not know: a command would be
   * 504 (Spec 4 rule 3). True before the first contact, when nothing is known.
   */
  of(id: string): boolean {
    const { house, bus } = this.#parts
    const unit = house.units.get(id)
    if (unit === undefined || (bus.units.size === 0 && bus.down !== null)) return true
    return bus.units.get(unit.address)?.reachable === true
  }

  /** Tells whether a unit answers, where that is not what was told last. */
  look(id: string): void {
    const reachable = this.of(id)
    if (this.#told.get(id) === reachable) return
    this.#told.set(id, reachable)
    this.#parts.tell(id, reachable)
  }

  /** The same for all units. One that is new in the house is read with the house, so nothing of it has to be told. */
  lookAtHouse(): void {
    const { units } = this.#parts.house
    for (const id of this.#told.keys()) if (!units.has(id)) this.#told.delete(id)
    for (const id of units.keys()) {
      if (this.#told.has(id)) this.look(id)
      else this.#told.set(id, this.of(id))
    }
  }
}
