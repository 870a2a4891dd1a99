/** A placeholder such as `{id}`. */
const PLACEHOLDER = /^\{.*\}$/

/**
 * Maps a path to its pattern, such as `/v1/devices/{id}`; null if no pattern fits. An unknown path is never logged,
 * because it may contain anything. The patterns are read at the first call.
 */
export function routeNames(patterns: () => readonly string[]): (path: string) => string | null {
  let byLength: ReturnType<typeof grouped> | undefined
  return (path) => {
    const parts = path.split('/')
    const known = (byLength ??= grouped(patterns())).get(parts.length) ?? []
    const found = known.filter((pattern) => pattern.every((part, at) => part === parts[at] || PLACEHOLDER.test(part)))
    // Of several fitting patterns, the one with the fewest placeholders wins.
    const [first] = found.toSorted((a, b) => placeholders(a) - placeholders(b))
    return first?.join('/') ?? null
  }
}

const placeholders = (pattern: readonly string[]): number => pattern.filter((part) => PLACEHOLDER.test(part)).length

function grouped(patterns: readonly string[]): ReadonlyMap<number, readonly (readonly string[])[]> {
  return Map.groupBy(
    patterns.map((pattern) => pattern.split('/')),
    (parts) => parts.length,
  )
}
