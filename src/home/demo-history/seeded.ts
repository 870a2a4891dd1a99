import { createHash } from 'node:crypto'

/** Chance that can be repeated: the same seed gives the same numbers. */
export class Seeded {
  #state: number

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    // A linear congruence with its high bits mixed down: enough for weather and habits.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    const mixed = Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) >>> 0
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.next()
  }

  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0]
  }
}
