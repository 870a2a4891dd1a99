import type { Random } from '../../lib/random.ts'

/** Repeatable randomness: the same seed gives the same sequence on every machine (xoshiro128**). */
export class SeededRandom implements Random {
  #a: number
  #b: number
  #c: number
  #d: number
  readonly #seed: string

  constructor(seed: string | number) {
    this.#seed = String(seed)
    const mix = hashOf(this.#seed)
    this.#a = mix
    this.#b = hashStep(this.#a)
    this.#c = hashStep(this.#b)
    this.#d = hashStep(this.#c) | 1
  }

  /** A separate generator for one part of the house, so that parts do not affect each other's sequences. */
  fork(label: string | number): SeededRandom {
    return new SeededRandom(`${this.#seed}/${label}`)
  }

  /** A whole number from 0 to 2^32 - 1. */
  uint32(): number {
    const result = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9) >>> 0
    const shifted = this.#b << 9
    this.#c ^= this.#a
    this.#d ^= this.#b
    this.#b ^= this.#c
    this.#a ^= this.#d
    this.#c ^= shifted
    this.#d = rotate(this.#d, 11)
    return result
  }

  /** 0 up to, but not including, 1. */
  float(): number {
    return this.uint32() / 0x1_0000_0000
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.float()
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.float() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.float() < probability
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.whole(0, items.length - 1)] ?? items[0]
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(count)
    for (let index = 0; index < count; index++) bytes[index] = this.uint32() >>> 24
    return bytes
  }

  uuid(): string {
    const bytes = this.bytes(16)
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

/** FNV-1a with a final scramble. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hashStep(hash)
}

function hashStep(value: number): number {
  let mixed = (value + 0x9e3779b9) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** A number from 0 to 1 for `label` and `step`: noise without state. */
export function noiseAt(label: string, step: number): number {
  return (hashOf(`${label}#${step}`) >>> 0) / 0x1_0000_0000
}
