import { PassThrough } from 'node:stream'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { Body } from '../api/call.ts'
import { readBody } from './body.ts'

test('a body whose carrier closes without an error before its end is cut off, and is reported once', async () => {
  const payload = new PassThrough()
  const reported: (readonly [boolean, Body | undefined])[] = []
  readBody({}, payload, 10, (error, body) => reported.push([error !== null, body]))
  payload.write('{')
  payload.destroy()
  await once(payload, 'close')
  expect(reported).toEqual([[true, undefined]])
})
