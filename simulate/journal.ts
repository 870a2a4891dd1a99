import { createHash } from 'node:crypto'

/** All that is told in a run, as one hash, and in words where somebody wants to read it. */
export class Journal {
  readonly #hash = createHash('sha256')
  readonly #lines: string[] = []
  readonly #keeps: boolean
  #count = 0

  /** @param keeps whether the lines are kept, beside their hash. */
  constructor(keeps: boolean) {
    this.#keeps = keeps
  }

  /** @param at monotonic milliseconds. */
  note(at: number, line: string): void {
    this.#hash.update(`${at} ${line}\n`)
    this.#count += 1
    if (this.#keeps) this.#lines.push(`${timeText(at)} ${line}`)
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  get count(): number {
    return this.#count
  }

  digest(): string {
    return this.#hash.digest('hex').slice(0, 16)
  }
}

/** Days, hours, minutes and seconds since the run began. */
export function timeText(ms: number): string {
  const [days, rest] = [Math.floor(ms / 86_400_000), new Date(ms % 86_400_000)]
  return `${days}d ${rest.toISOString().slice(11, 23)}`
}
