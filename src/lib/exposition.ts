/** The text format of Prometheus, version 0.0.4. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Label names with their values, in output order. */
export type Labels = Readonly<Record<string, string | number>>

/** One metric with all its samples. */
export interface Metric {
  readonly name: string
  readonly text: () => string
}

/** Number of label combinations of one metric; further ones count without labels. */
const SERIES_MAX = 4_000

/** An increasing number. Its name ends in `_total`. */
export class Counter implements Metric {
  readonly name: string
  readonly #help: string
  readonly #series = new Map<string, number>()

  constructor(name: string, help: string) {
    this.name = name
    this.#help = help
  }

  add(labels: Labels = {}, by = 1): void {
    const key = labelText(labels)
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

/** A metric whose samples come from a callback at each scrape. */
export class CallbackMetric implements Metric {
  readonly name: string
  readonly #help: string
  readonly #type: 'gauge' | 'counter'
  readonly #read: () => readonly Sample[]

  constructor(type: 'gauge' | 'counter', name: string, help: string, read: () => readonly Sample[]) {
    this.name = name
    this.#help = help
    this.#type = type
    this.#read = read
  }

  text(): string {
    const rows = this.#read()
      .slice(0, SERIES_MAX)
      .map(({ labels = {}, value }) => `${this.name}${labelText(labels)} ${value}`)
    return family(this.name, this.#help, this.#type, rows)
  }
}

/** Distribution of values; `bounds` are the upper ends of the buckets, in ascending order. */
export class Buckets {
  readonly #bounds: readonly number[]
  /** One count per bound, and one beyond the last. */
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const found = this.#bounds.findIndex((bound) => value <= bound)
    const at = found < 0 ? this.#bounds.length : found
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  rows(name: string, labels: Labels = {}): readonly string[] {
    let count = 0
    const rows = [...this.#bounds.map(String), '+Inf'].map((le, at) => {
      count += this.#counts[at] ?? 0
      return `${name}_bucket${labelText({ ...labels, le })} ${count}`
    })
    return [...rows, `${name}_sum${labelText(labels)} ${this.#sum}`, `${name}_count${labelText(labels)} ${count}`]
  }
}

/** One metric of buckets, per label combination, read at each scrape. */
export class Histogram implements Metric {
  readonly name: string
  readonly #help: string
  readonly #read: () => Iterable<readonly [Labels, Buckets]>

  constructor(name: string, help: string, read: () => Iterable<readonly [Labels, Buckets]>) {
    this.name = name
    this.#help = help
    this.#read = read
  }

  text(): string {
    const rows = [...this.#read()].flatMap(([labels, buckets]) => buckets.rows(this.name, labels))
    return family(this.name, this.#help, 'histogram', rows)
  }
}

/** All metrics as one text. */
export function formatMetrics(metrics: Iterable<Metric>): string {
  return [...metrics].map((metric) => metric.text()).join('')
}

function family(name: string, help: string, type: string, rows: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...rows, ''].join('\n')
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string): string =>
  text.replaceAll(/[\\"\n]/g, (letter) => (letter === '\n' ? '\\n' : `\\${letter}`))
