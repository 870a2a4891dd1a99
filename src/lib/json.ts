import { parse } from 'secure-json-parse'
import type * as z from 'zod'
import { type Result, fail, ok } from './result.ts'

/** Maximum nesting: no request of ours needs more, and deep nesting can exhaust a parser's caller. */
const JSON_DEPTH_MAX = 32

/** The JSON parser for all external input: refuses `__proto__` and `constructor.prototype` keys, and deep nesting. */
export function parseJson(text: string): Result<unknown, 'malformed' | 'too_deep'> {
  if (nestsDeeper(text, JSON_DEPTH_MAX)) return fail('too_deep')
  try {
    const value: unknown = parse(text, undefined, { protoAction: 'error', constructorAction: 'error' })
    return ok(value)
  } catch {
    return fail('malformed')
  }
}

/** The value of a JSON text, as the schema outputs it; null if the text is no JSON or the schema refuses its value. */
export function parsedAs<S extends z.ZodType>(schema: S, text: string): z.output<S> | null {
  const json = parseJson(text)
  const parsed = schema.safeParse(json.ok ? json.value : undefined)
  return parsed.success ? parsed.data : null
}

/** True for a JSON object, false for an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Counts brackets outside strings: cheaper than parsing first, and safe on any input. */
function nestsDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index)
    if (inString) {
      if (char === 0x5c) index += 1
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x7b || char === 0x5b) {
      depth += 1
      if (depth > depthMax) return true
    } else if (char === 0x7d || char === 0x5d) depth -= 1
  }
  return false
}
