import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { helloOf } from '#support/relay/client-hello.ts'
import { CLIENT_HELLO_BYTES_MAX, CLIENT_HELLO_RECORDS_MAX, readFirstBytes } from './client-hello.ts'

const NAME = 'hm-0123456789ab.local'
const RECORD_HEADER_BYTES = 5

/** Splits the message into records of this many bytes. */
function inRecordsOf(bytes: number, hello: Buffer): Buffer {
  const message = hello.subarray(RECORD_HEADER_BYTES)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += bytes) {
    const fragment = message.subarray(at, at + bytes)
    records.push(Buffer.from([22, 3, 1, fragment.length >> 8, fragment.length & 255]), fragment)
  }
  return Buffer.concat(records)
}

describe('the first bytes of a connection', () => {
  test('contain the server name of clients of TLS 1.3 and 1.2, in lower case', async () => {
    for (const options of [{}, { maxVersion: 'TLSv1.2' as const }, { ALPNProtocols: ['hm-tunnel/1'] }]) {
      const hello = await helloOf({ servername: NAME.toUpperCase(), ...options })
      expect(readFirstBytes(hello)).toEqual({ kind: 'hello', serverName: NAME })
    }
    expect(readFirstBytes(await helloOf({}))).toEqual({ kind: 'hello', serverName: null })
  })

  test('that are incomplete tell how many are needed', async () => {
    const hello = await helloOf({ servername: NAME })
    for (let length = 0; length < hello.length; length += 1) {
      const first = readFirstBytes(hello.subarray(0, length))
      if (first.kind !== 'more') throw new Error(`${length} of ${hello.length} bytes are ${first.kind}`)
      expect(first.needed).toBeGreaterThan(length)
      expect(first.needed).toBeLessThanOrEqual(hello.length)
    }
  })

  test('may be split into several records, up to a limit', async () => {
    const hello = await helloOf({ servername: NAME })
    const few = inRecordsOf(Math.ceil(hello.length / CLIENT_HELLO_RECORDS_MAX), hello)
    expect(readFirstBytes(few)).toEqual({ kind: 'hello', serverName: NAME })
    expect(readFirstBytes(inRecordsOf(1, hello))).toEqual({ kind: 'no_hello' })
  })

  test('that are no ClientHello, or a too large one, are refused as soon as possible', () => {
    const first = (...bytes: number[]): string => readFirstBytes(Buffer.from(bytes)).kind
    expect(readFirstBytes(Buffer.from('GET / HTTP/1.1\r\n')).kind).toBe('no_hello')
    expect(readFirstBytes(Buffer.from('PRI * HTTP/2.0')).kind).toBe('no_hello')
    expect(first(22, 3, 1, 0, 0)).toBe('no_hello')
    expect(first(22, 2, 0, 0, 9)).toBe('no_hello')
    expect(first(22, 3, 1, 0x40, 0)).toBe('no_hello')
    expect(first(22, 3, 1, 0, 4, 2, 0, 0, 90)).toBe('no_hello')
    expect(first(22, 3, 1, 0, 4, 1, 1, 0, 0)).toBe('no_hello')
    expect(CLIENT_HELLO_BYTES_MAX).toBe(0x4000)
  })

  test('of any kind are parsed without an exception', async () => {
    const hello = await helloOf({ servername: NAME })
    const change = fc.record({ at: fc.nat({ max: hello.length - 1 }), to: fc.integer({ min: 0, max: 255 }) })
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.nat({ max: hello.length }),
        (changes, length) => {
          const bytes = Buffer.from(hello)
          for (const { at, to } of changes) bytes[at] = to
          expect(['more', 'no_hello', 'hello']).toContain(readFirstBytes(bytes.subarray(0, length)).kind)
        },
      ),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(['more', 'no_hello', 'hello']).toContain(readFirstBytes(Buffer.from(bytes)).kind)
      }),
    )
  })
})
