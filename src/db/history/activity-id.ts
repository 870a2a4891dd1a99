/** Entries one millisecond has room for. Ids stay below 2^52 until the year 2109. */
export const PLACES_PER_MS = 1_024
const AT_MAX = 2 ** 42 - 1

/** The lowest row id that an entry of this time can have; times outside the calendar are moved to its edges. */
export function firstIdOf(at: number): number {
  return Math.min(Math.max(Math.floor(at), 0), AT_MAX) * PLACES_PER_MS
}

export function atOf(id: number): number {
  return Math.floor(id / PLACES_PER_MS)
}
