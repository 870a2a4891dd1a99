import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectionCode } from './connection-code.ts'

interface Vector {
  readonly name: string
  readonly addresses: readonly string[]
  readonly fingerprint: string
  readonly token: string
  readonly code: string
}

const { sound } = JSON.parse(readFileSync(new URL('../../client/connection-codes.json', import.meta.url), 'utf8')) as {
  readonly sound: readonly Vector[]
}

test.each(sound)('clients can read the connection code $name', ({ addresses, fingerprint, token, code }) => {
  expect(connectionCode({ addresses, fingerprint }, token)).toBe(code)
})
