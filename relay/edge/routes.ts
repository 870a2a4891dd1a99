/** `{id}` and the like stand for anything. */
const ANYTHING = /^\{.*\}$/

/**
 * Names what a path leads to without what it is about: `/v1/devices/{id}`. Null where no pattern fits: such a path may be
 * anything, and is written nowhere. The patterns are read at the first question.
 */
export function routeNames(patterns: () => readonly string[]): (path: string) => string | null {
  let byLength: ReturnType<typeof grouped> | undefined
  return (path) => {
    const parts = path.split('/')
    const known = (byLength ??= grouped(patterns())).get(parts.length) ?? []
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
