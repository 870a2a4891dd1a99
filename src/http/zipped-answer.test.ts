import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Answer, bytesOf } from '../api/call.ts'
import { zipped } from './zipped-answer.ts'

const LONG = JSON.stringify({ house: 'x'.repeat(5_000) })
const answer = (more: Partial<Answer> = {}): Answer => ({ status: 200, headers: {}, body: LONG, ...more })

test('a client that accepts gzip gets a long answer as gzip of the same bytes', async () => {
  const { headers, body } = await zipped(answer(), 'br, gzip')
  expect(headers).toEqual({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(gunzipSync(body ?? '').toString()).toBe(LONG)
})

test('a gzip answer has the length of the gzip, not the length of the text', async () => {
  const compressed = await zipped(answer({ bytes: LONG.length }), 'gzip')
  expect(bytesOf(compressed)).toBe(compressed.body?.length)
})

test.each([
  ['for a client that refuses gzip', answer(), 'identity'],
  ['for a client without Accept-Encoding', answer(), undefined],
  ['if it is short', answer({ body: '{}' }), 'gzip'],
  ['if it is empty', answer({ body: null, status: 304 }), 'gzip'],
  ['if it has an ETag, which names these bytes', answer({ headers: { etag: '"a"' } }), 'gzip'],
  ['if it has an encoding', answer({ headers: { 'content-encoding': 'gzip' } }), 'gzip'],
])('an answer stays unchanged %s', async (_case, plain, accepted) => {
  expect(await zipped(plain, accepted)).toBe(plain)
})
