import { isObject } from './json.ts'

/**
 * JSON with the keys of every object in order and what is undefined left out: the same value is always the same text,
 * however it was put together. For hashes, of plain data only.
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) =>
      isObject(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ) ?? 'null'
  )
}
