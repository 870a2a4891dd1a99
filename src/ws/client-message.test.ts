// @module-tag repeated
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { readMessage } from './client-message.ts'

const read = (message: object): ReturnType<typeof readMessage> =>
  readMessage(Buffer.from(JSON.stringify(message)), false)

const sometimes = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: value }, fc.constantFrom(null, 7, '', [], {}, undefined))

/** Lengths on both sides of the limit. */
const long = (max: number): fc.Arbitrary<string> =>
  fc.integer({ min: max - 1, max: max + 1 }).map((length) => 'x'.repeat(length))

const messages = fc.record(
  {
    id: sometimes(fc.oneof(fc.string(), long(128))),
    method: sometimes(fc.oneof(fc.constantFrom('GET', 'POST'), long(16))),
    path: sometimes(fc.oneof(fc.constantFrom('/v1/state', '/v1/house?class=fan', '?', '/v1/devices/é'), long(2_048))),
    body: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

test('the fast parser and the schema read a message of method, path and body alike', () => {
  fc.assert(
    fc.property(messages, (message) => {
      // A null field counts as missing, but is not read without the schema.
      expect(read(message)).toEqual(read({ ...message, subscribe: null }))
    }),
    { numRuns: times(300, 20_000) },
  )
})

test('all other fields of a message are found', () => {
  expect(read({ method: 'GET', path: '/v1/state', more: 1 })).toMatchObject({ kind: 'refused' })
  expect(read({ method: 'GET', path: '/v1/state', subscribe: [] })).toMatchObject({ kind: 'refused' })
  expect(read({ id: '1', method: 'GET', path: '/v1/state', query: { a: 1 } })).toMatchObject({
    kind: 'request',
    id: '1',
    request: { query: { a: '1' } },
  })
})
