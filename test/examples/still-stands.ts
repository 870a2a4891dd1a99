/** Lists of elements that differ in shape from one another. */
const OF_MANY_SHAPES: readonly string[] = ['when', 'if', 'then', 'steps']

/**
 * Whether two JSON values have the same fields, of the same types. Null stands for any value, and of lists the first
 * elements are compared, where both have one.
 */
function sameShape(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === 0 || other.length === 0 || sameShape(one[0], other[0])
  if (Array.isArray(one) || Array.isArray(other) || typeof one !== typeof other) return false
  if (typeof one !== 'object') return true
  const [left, right] = [one, other as object].map((each) => new Map<string, unknown>(Object.entries(each)))
  if (left === undefined || right === undefined || left.size !== right.size) return false
  return [...left].every(
    ([key, value]) => right.has(key) && (OF_MANY_SHAPES.includes(key) || sameShape(value, right.get(key))),
  )
}

/** Whether a kept answer or event still stands for one that was given now: to the same question, in the same shape. */
export function stillStands(kept: unknown, now: unknown): boolean {
  const [before, after] = [kept, now].map((each) => JSON.stringify((each as { asked?: unknown } | undefined)?.asked))
  return kept !== undefined && before === after && sameShape(kept, now)
}
