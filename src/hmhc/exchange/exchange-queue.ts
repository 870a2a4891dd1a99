import type { Requester, Priority } from '../../home/ports/unit-bus.ts'

/** Number of askers with a remembered turn; the turn of an unknown one counts as the oldest. */
const REMEMBERED_MAX = 1_024

/** The turns of askers: the one served longest ago comes first. */
class RoundRobin {
  /** Askers in the order of their last turn. */
  readonly #served = new Set<Requester>()

  /** Waiting askers in the order of their turns; new ones in the order of arrival. */
  order(waiting: ReadonlySet<Requester>): Requester[] {
    const fresh = [...waiting].filter((asker) => !this.#served.has(asker))
    const served = [...this.#served].filter((asker) => waiting.has(asker))
    return [...fresh, ...served]
  }

  served(asker: Requester): void {
    this.#served.delete(asker)
    this.#served.add(asker)
    if (this.#served.size <= REMEMBERED_MAX) return
    const [longestAgo = null] = this.#served
    this.#served.delete(longestAgo)
  }
}

/** Properties of an entry that the queue uses. */
export interface Queued {
  /** Units that the entry is for. */
  readonly units: readonly number[]
  /** True if the entry changes its units: changes of a unit keep their order, reads may be overtaken. */
  readonly ordered: boolean
  /** Only the newest entry of a key needs a frame; null if each counts. */
  readonly key: string | null
}

const RANK: Readonly<Record<Priority, number>> = { person: 0, automation: 1, background: 2 }
const WAITING_MAX: Readonly<Record<Priority, number>> = { person: 512, automation: 512, background: 1_024 }
/** Number of waiting entries of one asker; the home itself is exempt. */
export const WAITING_OF_ONE_MAX = 64

interface Place<E> {
  readonly entry: E
  readonly priority: Priority
  readonly asker: Requester
  /** Askers in whose turns the entry may go: its own, and those whose entries it blocks. */
  readonly turnsOf: Set<Requester>
  rank: number
}

/**
 * A bounded queue in the order person, automation, background. Within a priority askers take turns, and each asker's
 * entries are first come, first served. A change of a unit is never overtaken by a newer one of the same unit. The
 * older one gets the newer one's rank and turn instead, so that the newest change runs last.
 */
export class ExchangeQueue<E extends Queued> {
  /** In order of arrival. */
  readonly #places: Place<E>[] = []
  readonly #turns = new RoundRobin()

  get size(): number {
    return this.#places.length
  }

  /** `full`: the priority has too many waiting entries; `too_many`: this asker has too many. */
  add(entry: E, priority: Priority, asker: Requester): 'added' | 'full' | 'too_many' {
    const alike = this.#places.filter((place) => place.priority === priority)
    const own = alike.filter((place) => place.asker === asker).length
    if (asker !== null && own >= WAITING_OF_ONE_MAX) return 'too_many'
    if (alike.length >= WAITING_MAX[priority]) return 'full'
    if (entry.ordered) this.lift(entry.units, priority, asker)
    this.#places.push({ entry, priority, asker, turnsOf: new Set([asker]), rank: RANK[priority] })
    return 'added'
  }

  /** The waiting entry that a new one of this key may join, if no newer entry changes the same unit. */
  joinable(key: string, unit: number): E | null {
    const newest = this.#places.findLast(({ entry }) => entry.ordered && entry.units.includes(unit))?.entry
    return newest?.key === key ? newest : null
  }

  /**
   * Raises all changes of these units and their predecessors to at least this priority and this asker's turns; their
   * relative order stays.
   */
  lift(units: readonly number[], priority: Priority, asker: Requester): void {
    const waitedFor = new Set(units)
    for (const place of this.#places.toReversed()) {
      if (!place.entry.ordered || !place.entry.units.some((unit) => waitedFor.has(unit))) continue
      place.rank = Math.min(place.rank, RANK[priority])
      place.turnsOf.add(asker)
      for (const unit of place.entry.units) waitedFor.add(unit)
    }
  }

  /** Takes the first entry that may go now. A blocked change also blocks newer changes of its units. */
  take(mayGo: (entry: E, priority: Priority) => boolean): E | null {
    for (let rank = 0; rank <= RANK.background; rank++) {
      const waiting = this.#places.flatMap((place) => (place.rank === rank ? [...place.turnsOf] : []))
      for (const asker of this.#turns.order(new Set(waiting))) {
        const first = this.#first((place) => place.rank === rank && place.turnsOf.has(asker), mayGo)
        if (first === null) continue
        this.#turns.served(asker)
        this.remove(first)
        return first
      }
    }
    return null
  }

  remove(entry: E): void {
    const at = this.#places.findIndex((place) => place.entry === entry)
    if (at >= 0) this.#places.splice(at, 1)
  }

  /** Takes all matching entries, in order of arrival. */
  drain(which: (entry: E) => boolean): E[] {
    const drained = this.#places.filter(({ entry }) => which(entry)).map(({ entry }) => entry)
    const remaining = this.#places.filter(({ entry }) => !which(entry))
    this.#places.splice(0, this.#places.length, ...remaining)
    return drained
  }

  /** The first entry of a turn that may go now and overtakes nothing. */
  #first(hasTurn: (place: Place<E>) => boolean, mayGo: (entry: E, priority: Priority) => boolean): E | null {
    const held = new Set<number>()
    for (const place of this.#places) {
      const { entry, priority } = place
      const overtakes = entry.ordered && entry.units.some((unit) => held.has(unit))
      if (!overtakes && hasTurn(place) && mayGo(entry, priority)) return entry
      if (entry.ordered) for (const unit of entry.units) held.add(unit)
    }
    return null
  }
}
