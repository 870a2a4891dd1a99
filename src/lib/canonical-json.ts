import { isObject } from './json.ts'

/**
 * JSON with sorted keys and without undefined fields: equal values give the same text. For hashes and comparisons of
 * plain data.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields: string[] = []
  for (const key of Object.keys(value).toSorted())
    if (value[key] !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${fields.join(',')}}`
}
