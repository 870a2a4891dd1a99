import type { Requester, Priority } from '../../home/ports/unit-bus.ts'

/** Askers whose last turn is known; for one that is not, it counts as longest ago. */
const REMEMBERED_MAX = 1_024

/** Whose turn it is: who was served longest ago comes first. */
class RoundRobin {
  /** In the order of their last turn. */
  readonly #served = new Set<Requester>()

  /** Those who wait, in the order of their turns; those who never had one in the order that they came in. */
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

/** What the queue must know of an entry. */
export interface Queued {
  /** Units that the entry is for. */
  readonly units: readonly number[]
  /** Whether it changes them: what changes one unit keeps its order, a mere read may be overtaken. */
  readonly ordered: boolean
  /** Entries of one key are worth one frame, the newest; null where each counts. */
  readonly key: string | null
}

const RANK: Readonly<Record<Priority, number>> = { person: 0, automation: 1, background: 2 }
const WAITING_MAX: Readonly<Record<Priority, number>> = { person: 512, automation: 512, background: 1_024 }
/** Of them, those of one asker; the home itself has no such bound. */
export const WAITING_OF_ONE_MAX = 64

interface Place<E> {
  readonly entry: E
  readonly priority: Priority
  readonly asker: Requester
  /** In whose turns it may go: its asker's, and those of whoever waits for it to be out of the way. */
  readonly turnsOf: Set<Requester>
  rank: number
}

/**
 * Bounded, in the order person, automation, background; within one of them those who ask take turns, and what one of
 * them asks for is first come first served. What changes a unit is never overtaken by something newer for the same
 * unit: the older one takes over the newer one's rank and turn instead, so that the newest change is the last to be
 * carried out.
 */
export class ExchangeQueue<E extends Queued> {
  /** In the order of arrival. */
  readonly #places: Place<E>[] = []
  readonly #turns = new RoundRobin()

  get size(): number {
    return this.#places.length
  }

  /** `full`: too many of that priority wait; `too_many`: too many of them are this asker's. */
  add(entry: E, priority: Priority, asker: Requester): 'added' | 'full' | 'too_many' {
    const alike = this.#places.filter((place) => place.priority === priority)
    const own = alike.filter((place) => place.asker === asker).length
    if (asker !== null && own >= WAITING_OF_ONE_MAX) return 'too_many'
    if (alike.length >= WAITING_MAX[priority]) return 'full'
    if (entry.ordered) this.lift(entry.units, priority, asker)
    this.#places.push({ entry, priority, asker, turnsOf: new Set([asker]), rank: RANK[priority] })
    return 'added'
  }

  /** The waiting entry that a new one of this key may join: nothing newer changes the same unit. */
  joinable(key: string, unit: number): E | null {
    const newest = this.#places.findLast(({ entry }) => entry.ordered && entry.units.includes(unit))?.entry
    return newest?.key === key ? newest : null
  }

  /**
   * Lifts all that changes these units to at least this priority, in this asker's turns too, with what must go before
   * it; their order among themselves stays.
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

  /** Takes the first entry that may go now. A change held back also holds back newer changes of its units. */
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

  /** Takes everything that `which` says, in the order of arrival. */
  drain(which: (entry: E) => boolean): E[] {
    const drained = this.#places.filter(({ entry }) => which(entry)).map(({ entry }) => entry)
    const kept = this.#places.filter(({ entry }) => !which(entry))
    this.#places.splice(0, this.#places.length, ...kept)
    return drained
  }

  /** The first whose turn it is that may go now and overtakes nothing. */
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
