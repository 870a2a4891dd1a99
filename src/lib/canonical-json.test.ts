import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

it('writes a value with sorted keys and without undefined fields', () => {
  const value = { b: [1, { d: null, c: 'ä"' }, undefined], a: undefined, 10: -0, 9: true }
  expect(canonicalJson(value)).toBe('{"10":0,"9":true,"b":[1,{"c":"ä\\"","d":null},null]}')
  expect(canonicalJson(undefined)).toBe('null')
})

it('is the same text for equal values in any key order, and differs otherwise', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, field]) => [key, turned(field)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const text = canonicalJson(one)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)))
      expect(canonicalJson(turned(one))).toBe(text)
      const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
      expect(canonicalJson(other) === text).toBe(isDeepStrictEqual(parsed(other), parsed(one)))
    }),
  )
})
