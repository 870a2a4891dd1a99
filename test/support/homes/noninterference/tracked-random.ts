import type { Random } from '../../../../src/lib/random.ts'
import { SeededRandom } from '../../../../src/sim/model/seeded-random.ts'

/** Alphabet of readable ids; a byte stands for the letter at its remainder. */
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz'
/** Larger bytes are dropped when readable ids are made. */
const BYTE_MAX = 8 * LETTERS.length - 1
const WORD = /[A-Za-z0-9_-]{6,}/g

/**
 * Randomness that records its output. Random words carry no meaning, so comparisons of two runs ignore them: `steady`
 * replaces each word by the number of its first appearance.
 */
export class TrackedRandom implements Random {
  readonly #source: SeededRandom
  readonly #words = new Set<string>()
  readonly #names = new Map<string, string>()

  constructor(seed: number) {
    this.#source = new SeededRandom(seed)
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.from(Array.from({ length: count }, () => this.#source.whole(0, BYTE_MAX)))
    this.#words.add(bytes.toString('hex'))
    this.#words.add(bytes.toString('base64url'))
    this.#words.add([...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join(''))
    return bytes
  }

  uuid(): string {
    const hex = Buffer.from(Array.from({ length: 16 }, () => this.#source.whole(0, 255))).toString('hex')
    const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
    this.#words.add(uuid)
    return uuid
  }

  /** Records a word derived from others. */
  gave(word: string): void {
    this.#words.add(word)
  }

  /** Replaces every random word of a text by the number of its first appearance. */
  steady(text: string): string {
    return text.replace(WORD, (word) => {
      if (this.#words.has(word)) return this.#nameOf(word)
      // An ETag is a random word, a count, and its coding.
      for (let dash = word.lastIndexOf('-'); dash > 0; dash = word.lastIndexOf('-', dash - 1)) {
        const head = word.slice(0, dash)
        if (this.#words.has(head)) return `${this.#nameOf(head)}${word.slice(dash)}`
      }
      return word
    })
  }

  #nameOf(word: string): string {
    const known = this.#names.get(word)
    if (known !== undefined) return known
    const name = `<random ${this.#names.size + 1}, ${word.length} long>`
    this.#names.set(word, name)
    return name
  }
}
