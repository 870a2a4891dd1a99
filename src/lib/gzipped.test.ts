import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { acceptsGzip, GZIP_BYTES_MIN, Gzipped } from './gzipped.ts'

test('gzip runs once for any number of requests, concurrent or later', async () => {
  const gzipped = new Gzipped(Buffer.from('abcd'.repeat(GZIP_BYTES_MIN / 4)))
  const [first, second] = await Promise.all([gzipped.gzip(), gzipped.gzip()])
  expect(second).toBe(first)
  expect(gzipped.gzip()).toBe(first)
  expect(gunzipSync(first!)).toEqual(gzipped.bytes)
  expect(new Gzipped(gzipped.bytes.subarray(1)).gzip()).toBe(null)
})

test.each([
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['deflate, gzip;q=1.0, *;q=0.5', true],
  ['br, gzip ; q=0.2', true],
  ['*', true],
  ['identity', false],
  ['gzip;q=0', false],
  ['gzip;q=0.000, *', false],
  ['*;q=0', false],
  ['br, deflate', false],
  ['gzipped', false],
  ['gzip;q=x', false],
])('Accept-Encoding %s', (header, taken) => {
  expect(acceptsGzip(header)).toBe(taken)
})
