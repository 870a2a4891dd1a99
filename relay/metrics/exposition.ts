/** The text format of Prometheus, version 0.0.4, as far as the relay needs it. */

/** Label names with their values, in the order in which they are written. */
export type Labels = Readonly<Record<string, string | number>>

/** One metric with all that it counts. */
export interface Metric {
  readonly name: string
  readonly text: () => string
}

/** Different label values of one metric; whatever comes beyond is counted under no labels at all. */
const SERIES_MAX = 4_000

/** A number that only grows. Its name ends in `_total`. */
export class Counter implements Metric {
  readonly name: string
  readonly #help: string
  readonly #series = new Map<string, number>()

  constructor(name: string, help: string) {
    this.name = name
    this.#help = help
  }

  add(labels: Labels = {}, by = 1): void {
    const key = labelled(labels)
    const counted = this.#series.has(key) || this.#series.size < SERIES_MAX ? key : ''
    this.#series.set(counted, (this.#series.get(counted) ?? 0) + by)
  }

  text(): string {
    const rows = [...this.#series].map(([labels, value]) => `${this.name}${labels} ${value}`)
    return family(this.name, this.#help, 'counter', rows.length > 0 ? rows : [`${this.name} 0`])
  }
}

export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

/** What is so now: it is asked when it is read. */
export class Gauge implements Metric {
  readonly name: string
  readonly #help: string
  readonly #read: () => readonly Sample[]

  constructor(name: string, help: string, read: () => readonly Sample[]) {
    this.name = name
    this.#help = help
    this.#read = read
  }

  text(): string {
    const rows = this.#read().map(({ labels = {}, value }) => `${this.name}${labelled(labels)} ${value}`)
    return family(this.name, this.#help, 'gauge', rows)
  }
}

/** How values are spread; `bounds` are the upper ends of its buckets, in ascending order. */
export class Histogram implements Metric {
  readonly name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  /** One for each bound, and one for what is beyond the last. */
  readonly #counts: number[]
  #sum = 0

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name
    this.#help = help
    this.#bounds = bounds
    this.#counts = Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const found = this.#bounds.findIndex((bound) => value <= bound)
    const at = found < 0 ? this.#bounds.length : found
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  text(): string {
    let count = 0
    const rows = [...this.#bounds.map(String), '+Inf'].map((bound, at) => {
      count += this.#counts[at] ?? 0
      return `${this.name}_bucket{le="${bound}"} ${count}`
    })
    const totals = [`${this.name}_sum ${this.#sum}`, `${this.name}_count ${count}`]
    return family(this.name, this.#help, 'histogram', [...rows, ...totals])
  }
}

function family(name: string, help: string, type: string, rows: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...rows, ''].join('\n')
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string): string =>
  text.replaceAll(/[\\"\n]/g, (letter) => (letter === '\n' ? '\\n' : `\\${letter}`))
