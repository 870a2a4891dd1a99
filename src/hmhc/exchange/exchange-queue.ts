import type { Priority } from '../../home/ports/unit-bus.ts'

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
export const WAITING_MAX: Readonly<Record<Priority, number>> = { person: 512, automation: 512, background: 1_024 }

interface Place<E> {
  readonly entry: E
  readonly priority: Priority
  rank: number
}

/**
 * Bounded, in the order person, automation, background, first come first served. What changes a unit is never overtaken
 * by something newer for the same unit: the older one is lifted to the newer one's rank instead, so that the newest
 * change is the last to be carried out.
 */
export class ExchangeQueue<E extends Queued> {
  /** In the order of arrival. */
  readonly #places: Place<E>[] = []

  get size(): number {
    return this.#places.length
  }

  /** False when too many of that priority wait. */
  add(entry: E, priority: Priority): boolean {
    const alike = this.#places.reduce((sum, place) => sum + (place.priority === priority ? 1 : 0), 0)
    if (alike >= WAITING_MAX[priority]) return false
    if (entry.ordered) for (const unit of entry.units) this.lift(unit, priority)
    this.#places.push({ entry, priority, rank: RANK[priority] })
    return true
  }

  /** The waiting entry that a new one of this key may join: nothing newer changes the same unit. */
  joinable(key: string, unit: number): E | null {
    const newest = this.#places.findLast(({ entry }) => entry.ordered && entry.units.includes(unit))?.entry
    return newest?.key === key ? newest : null
  }

  /** Lifts all that changes the unit to at least this priority; their order among themselves stays. */
  lift(unit: number, priority: Priority): void {
    for (const place of this.#places) {
      if (place.entry.ordered && place.entry.units.includes(unit)) place.rank = Math.min(place.rank, RANK[priority])
    }
  }

  /** Takes the first entry that may go now. A change held back also holds back newer changes of its units. */
  take(mayGo: (entry: E, priority: Priority) => boolean): E | null {
    for (let rank = 0; rank <= RANK.background; rank++) {
      const held = new Set<number>()
      for (const [at, place] of this.#places.entries()) {
        if (place.rank !== rank) continue
        const { entry } = place
        const overtakes = entry.ordered && entry.units.some((unit) => held.has(unit))
        if (!overtakes && mayGo(entry, place.priority)) {
          this.#places.splice(at, 1)
          return entry
        }
        if (entry.ordered) for (const unit of entry.units) held.add(unit)
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
}
