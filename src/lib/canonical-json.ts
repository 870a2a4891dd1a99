import { isObject } from './json.ts'

/**
 * JSON with the keys of every object in order and what is undefined left out: the same value is always the same text,
 * however it was put together. For hashes and comparisons, of plain data only.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields: string[] = []
  for (const key of Object.keys(value).toSorted())
    if (value[key] !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${fields.join(',')}}`
}
