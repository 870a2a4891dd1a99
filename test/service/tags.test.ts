import { describe, expect } from 'vitest'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { ask } from '#support/gateway/raw-client.ts'

const get = (home: TestHome, path: string, ifNoneMatch?: string) =>
  ask(home.access(null), {
    path,
    headers: {
      authorization: `Bearer ${home.main.token}`,
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    },
  })

describe('If-None-Match', () => {
  verifies('devices.tag', 'is answered 304 by the tag itself, weakened, in a list, or by *', async (home) => {
    const { headers = {} } = await get(home, '/v1/house')
    const tag = headers['etag'] ?? ''
    expect(tag).toMatch(/^"[^"]+"$/)
    for (const held of [tag, `W/${tag}`, `"other", ${tag}`, `"other",W/${tag} , "more"`, '*', ' * ']) {
      const again = await get(home, '/v1/house', held)
      expect([held, again.status, again.text, again.headers?.['etag']]).toEqual([held, 304, '', tag])
    }
    for (const other of ['"other"', 'W/"other"', tag.slice(1, -1), '"other", "more"', '', '"*"', `"x${tag.slice(1)}`])
      expect([other, (await get(home, '/v1/house', other)).status]).toEqual([other, 200])
  })
})
