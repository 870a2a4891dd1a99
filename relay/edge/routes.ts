/** `{id}` and the like stand for anything. */
const ANYTHING = /^\{.*\}$/

/** Names what a path leads to without what it is about: `/v1/devices/{id}`. */
export class Routes {
  readonly #patterns: () => readonly string[]
  /** Patterns by their number of parts; made at the first question. */
  #byLength: ReadonlyMap<number, readonly (readonly string[])[]> | null = null

  constructor(patterns: () => readonly string[]) {
    this.#patterns = patterns
  }

  /** Null where no pattern fits: such a path may be anything, and is written nowhere. */
  nameOf(path: string): string | null {
    const parts = path.split('/')
    const known = (this.#byLength ??= grouped(this.#patterns())).get(parts.length) ?? []
    const found = known.filter((pattern) => pattern.every((part, at) => part === parts[at] || ANYTHING.test(part)))
    // Where two fit, the one that says more.
    const [first] = found.toSorted((a, b) => openParts(a) - openParts(b))
    return first?.join('/') ?? null
  }
}

const openParts = (pattern: readonly string[]): number => pattern.filter((part) => ANYTHING.test(part)).length

function grouped(patterns: readonly string[]): ReadonlyMap<number, readonly (readonly string[])[]> {
  return Map.groupBy(
    patterns.map((pattern) => pattern.split('/')),
    (parts) => parts.length,
  )
}
