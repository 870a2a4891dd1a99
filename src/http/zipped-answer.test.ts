import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Answer, bytesOf } from '../api/call.ts'
import { zipped } from './zipped-answer.ts'

const LONG = JSON.stringify({ house: 'x'.repeat(5_000) })
const answer = (more: Partial<Answer> = {}): Answer => ({ status: 200, headers: {}, body: LONG, ...more })

test('a long answer comes as gzip of the same bytes to whom takes it', async () => {
  const { headers, body } = await zipped(answer(), 'br, gzip')
  expect(headers).toEqual({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(gunzipSync(body ?? '').toString()).toBe(LONG)
})

test('the gzip is as long as it is, whatever is known of the text', async () => {
  const given = await zipped(answer({ bytes: LONG.length }), 'gzip')
  expect(bytesOf(given)).toBe(given.body?.length)
})

test.each([
  ['to whom does not take it', answer(), 'identity'],
  ['to whom says nothing', answer(), undefined],
  ['where it is short', answer({ body: '{}' }), 'gzip'],
  ['where it is empty', answer({ body: null, status: 304 }), 'gzip'],
  ['where it has a tag, which is of these bytes', answer({ headers: { etag: '"a"' } }), 'gzip'],
  ['where it is encoded', answer({ headers: { 'content-encoding': 'gzip' } }), 'gzip'],
])('an answer stays as it is %s', async (_where, given, accepted) => {
  expect(await zipped(given, accepted)).toBe(given)
})
