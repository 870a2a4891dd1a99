/** Consistent overhead byte stuffing for frames under 254 bytes, in which no piece is ever split (docs/hmhc.md 1.1). */

/** Stuffs the first `length` bytes of `raw` between two delimiters. */
export function stuff(raw: Uint8Array, length: number): Uint8Array {
  const wire = new Uint8Array(length + 3)
  let head = 1
  for (let index = 0; index < length; index++) {
    const byte = raw[index] ?? 0
    if (byte === 0) {
      wire[head] = index + 2 - head
      head = index + 2
    } else {
      wire[index + 2] = byte
    }
  }
  wire[head] = length + 2 - head
  return wire
}

/**
 * Unstuffs the first `length` bytes (without delimiters) in place; answers the length that is left, or null when a
 * piece runs past the end.
 */
export function unstuff(bytes: Uint8Array, length: number): number | null {
  let from = 0
  let to = 0
  while (from < length) {
    const piece = bytes[from] ?? 0
    if (from + piece > length) return null
    bytes.copyWithin(to, from + 1, from + piece)
    to += piece - 1
    from += piece
    if (from < length) bytes[to++] = 0
  }
  return to
}
