/** Lists with elements of different shapes. */
const OF_MANY_SHAPES: readonly string[] = ['when', 'if', 'then', 'steps']

/**
 * True if two JSON values have the same fields with the same types. Null matches any value. Lists match by their first
 * elements, if both have one.
 */
function sameShape(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === 0 || other.length === 0 || sameShape(one[0], other[0])
  if (Array.isArray(one) || Array.isArray(other) || typeof one !== typeof other) return false
  if (typeof one !== 'object') return true
  const [left, right] = [one, other as object].map((value) => new Map<string, unknown>(Object.entries(value)))
  if (left === undefined || right === undefined || left.size !== right.size) return false
  return [...left].every(
    ([key, value]) => right.has(key) && (OF_MANY_SHAPES.includes(key) || sameShape(value, right.get(key))),
  )
}

/** True if a stored response or event is still valid: it has the same request and the same shape as the current one. */
export function isStillValid(stored: unknown, current: unknown): boolean {
  const [before, after] = [stored, current].map((value) =>
    JSON.stringify((value as { request?: unknown } | undefined)?.request),
  )
  return stored !== undefined && before === after && sameShape(stored, current)
}
