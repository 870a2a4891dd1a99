import type { Asker } from '../../home/ports/unit-bus.ts'

/** Askers whose last turn is known; for one that is not, it counts as longest ago. */
const REMEMBERED_MAX = 1_024

/** Whose turn it is: who was served longest ago comes first. */
export class RoundRobin {
  /** In the order of their last turn. */
  readonly #served = new Set<Asker>()

  /** Those who wait, in the order of their turns; those who never had one in the order that they came in. */
  order(waiting: ReadonlySet<Asker>): Asker[] {
    const fresh = [...waiting].filter((asker) => !this.#served.has(asker))
    const served = [...this.#served].filter((asker) => waiting.has(asker))
    return [...fresh, ...served]
  }

  served(asker: Asker): void {
    this.#served.delete(asker)
    this.#served.add(asker)
    if (this.#served.size <= REMEMBERED_MAX) return
    const [longestAgo = null] = this.#served
    this.#served.delete(longestAgo)
  }
}
