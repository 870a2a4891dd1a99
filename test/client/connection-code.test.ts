import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { decodeConnectionCode, encodeConnectionCode } from '../../client/src/connection-code.ts'

interface Named {
  readonly name: string
  readonly code: string
}
interface Vectors {
  readonly sound: readonly (Named & { addresses: readonly string[]; fingerprint: string; token: string })[]
  /** Texts that mean the code `means`. */
  readonly spaced: readonly (Named & { means: string })[]
  readonly unsound: readonly Named[]
}

const { sound, spaced, unsound } = JSON.parse(
  readFileSync(new URL('../../client/connection-codes.json', import.meta.url), 'utf8'),
) as Vectors

describe('a connection code', () => {
  proves('client.code', 'has its original parts', () => {
    for (const { addresses, fingerprint, token, code } of sound) {
      const connection = { addresses, fingerprint, token }
      expect(decodeConnectionCode(code)).toEqual(connection)
      expect(encodeConnectionCode(connection)).toBe(code)
    }
  })

  test.each(spaced)('$name does not change its meaning', ({ code, means }) => {
    expect(decodeConnectionCode(code)).toEqual(decodeConnectionCode(means))
    expect(decodeConnectionCode(means)).not.toBeNull()
  })

  test.each(unsound)('$name is none', ({ code }) => {
    expect(decodeConnectionCode(code)).toBeNull()
  })
})
