import { describe, expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'

/** Time stands still, so two reads return the same data. */
const verifies = verifiesIn(() => ({ clock: new ManualClock(Date.now()), settled: false }))

const get = (home: TestHome, path: string, ifNoneMatch?: string) =>
  rawRequest(home.access(null), {
    path,
    headers: {
      authorization: `Bearer ${home.main.token}`,
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    },
  })

describe('If-None-Match', () => {
  verifies('devices.tag', 'gets 304 for the tag itself, a weak tag, a list with it, and *', async (home) => {
    const { headers = {} } = await get(home, '/v1/house')
    const tag = headers['etag'] ?? ''
    expect(tag).toMatch(/^"[^"]+"$/)
    for (const held of [tag, `W/${tag}`, `"other", ${tag}`, `"other",W/${tag} , "more"`, '*', ' * ']) {
      const again = await get(home, '/v1/house', held)
      expect([held, again.status, again.text, again.headers?.['etag']]).toEqual([held, 304, '', tag])
    }
    for (const malformed of [
      `${tag}x`,
      `x${tag}`,
      `${tag} ${tag}`,
      `w/${tag}`,
      `W/ ${tag}`,
      `*, ${tag}`,
      `"a b", ${tag}`,
    ])
      expect([malformed, (await get(home, '/v1/house', malformed)).status]).toEqual([malformed, 200])
    for (const sparse of [`, ${tag}`, `${tag},`, `"other",,\t${tag} ,`])
      expect([sparse, (await get(home, '/v1/house', sparse)).status]).toEqual([sparse, 304])
    for (const other of ['"other"', 'W/"other"', tag.slice(1, -1), '"other", "more"', '', '"*"', `"x${tag.slice(1)}`])
      expect([other, (await get(home, '/v1/house', other)).status]).toEqual([other, 200])
  })
})

describe('Accept-Encoding: gzip', () => {
  const read = (home: TestHome, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(home.access(null), { method, path, headers: { authorization: `Bearer ${home.main.token}`, ...headers } })
  const gzip = { 'accept-encoding': 'deflate, gzip' }

  verifies(
    'requests.gzip',
    'compresses large cached answers, with a tag for each coding',
    { tags: ['long'] },
    async (home) => {
      for (const path of ['/v1/house', '/v1/state', '/v1/intents']) {
        const plain = await read(home, path)
        const packed = await read(home, path, gzip)
        const [tag = '', gzipTag = ''] = [plain.headers?.['etag'], packed.headers?.['etag']]
        expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' })
        expect(plain.headers).not.toHaveProperty('content-encoding')
        expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
        expect(gzipTag).toBe(`${tag.slice(0, -1)}-gzip"`)
        expect(packed.text).toBe(plain.text)
        expect(Number(packed.headers?.['content-length'])).toBeLessThan(plain.text.length / 3)
        for (const held of [tag, gzipTag, `W/${gzipTag}`, '*']) {
          const headers = { 'if-none-match': held }
          expect(await read(home, path, headers)).toMatchObject({ status: 304, text: '', headers: { etag: tag } })
          const again = await read(home, path, { ...headers, ...gzip })
          expect(again).toMatchObject({ status: 304, text: '', headers: { etag: gzipTag, vary: 'Accept-Encoding' } })
          expect(again.headers).not.toHaveProperty('content-encoding')
        }
        const head = await read(home, path, gzip, 'HEAD')
        expect(head.headers).toMatchObject({
          etag: gzipTag,
          'content-encoding': 'gzip',
          'content-length': packed.headers?.['content-length'],
        })
      }
    },
  )

  verifies('requests.gzip', 'does not compress small answers, or answers made for one request', async (home) => {
    const narrow = await home.integrate({ expose: ['unit:hall-light'] })
    const small = await read(home, '/v1/house', { ...gzip, authorization: `Bearer ${narrow.token}` })
    expect(small.headers).toMatchObject({
      vary: 'Accept-Encoding',
      etag: expect.not.stringContaining('gzip') as string,
    })
    for (const path of ['/v1/house?class=sensor', '/v1/activity', home.at('hall-light', '/intents')])
      expect((await read(home, path, gzip)).headers).not.toHaveProperty('vary')
    for (const { headers } of [small, await read(home, '/v1/activity', gzip)])
      expect(headers).not.toHaveProperty('content-encoding')
  })

  verifies('requests.gzip', 'compresses the documents', async (home) => {
    for (const path of ['/openapi.json', '/asyncapi.json']) {
      const [plain, packed] = [await read(home, path), await read(home, path, gzip)]
      expect(packed.text).toBe(plain.text)
      expect([plain, packed].map(({ headers }) => headers?.['content-encoding'])).toEqual([undefined, 'gzip'])
      expect([plain, packed].map(({ headers }) => headers?.['vary'])).toEqual(['Accept-Encoding', 'Accept-Encoding'])
    }
  })
})
