import type { Random } from '../src/lib/random.ts'
import type { SeededRandom } from '../src/sim/seeded-random.ts'

/** Randomness of which each moment has a row of its own: who draws more at one moment changes what no other gets. */
export class RandomOfMoments implements Random {
  readonly #seed: SeededRandom
  readonly #now: () => number
  #row: { readonly at: number; readonly random: Random } | null = null

  constructor(seed: SeededRandom, now: () => number) {
    this.#seed = seed
    this.#now = now
  }

  bytes(count: number): Buffer {
    return this.#ofNow().bytes(count)
  }

  uuid(): string {
    return this.#ofNow().uuid()
  }

  #ofNow(): Random {
    const at = this.#now()
    if (this.#row?.at !== at) this.#row = { at, random: this.#seed.fork(at) }
    return this.#row.random
  }
}
