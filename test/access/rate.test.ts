import { describe, expect } from 'vitest'
import { EXPLAIN_WEIGHT } from '../../src/api/contract/records.ts'
import { TestSocket } from '#support/gateway/callers.ts'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { ask } from '#support/gateway/raw-client.ts'

const clock = new ManualClock(Date.now())

interface Refused {
  error: { code: string; message: string; retryAfter: number }
}

describe('the rate of a credential', () => {
  const verifies = verifiesAlone(() => ({ clock, settled: false, rateLimit: { perSecond: 2, burst: 10 } }))

  verifies(
    ['limits.rate'],
    'is so many at once, then 429 with the seconds to wait; who waits that long is served',
    async (home) => {
      const get = (token = home.main.token): ReturnType<typeof home.call> =>
        home.call({ method: 'GET', path: '/v1/integration', token })
      // The upgrade of a socket counts too.
      const answers = []
      for (let turn = 0; turn < 12; turn++) answers.push(await get())
      const served = answers.filter(({ status }) => status === 200).length
      expect(served).toBe(home.transport === 'http' ? 10 : 9)
      const refused = answers.at(-1)!
      expect(refused.status).toBe(429)
      const { error } = refused.body as Refused
      expect(error).toEqual({ code: 'rate_limited', message: 'Too many requests. Wait and try again.', retryAfter: 1 })
      if (home.transport === 'http') expect(refused.headers?.['retry-after']).toBe('1')
      await clock.advanceAsync(error.retryAfter * 1_000)
      expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([200, 200, 429])
    },
  )

  verifies(
    ['limits.rate'],
    'is its own: another credential is not touched, and one credential has one rate over both transports',
    async (home) => {
      const other = await home.integrate({})
      const { main } = home
      for (let turn = 0; turn < 11; turn++) await home.call({ method: 'GET', path: '/v1/integration' })
      expect((await home.call({ method: 'GET', path: '/v1/integration' })).status).toBe(429)
      expect((await home.call({ method: 'GET', path: '/v1/integration', token: other.token })).status).toBe(200)
      const http = await ask(home.access(null), {
        path: '/v1/integration',
        headers: { authorization: `Bearer ${main.token}` },
      })
      expect([http.status, http.headers?.['retry-after']]).toEqual([429, '1'])
      await expect(TestSocket.open(home.access(main.token))).rejects.toMatchObject({ answer: { status: 429 } })
    },
  )

  verifies(['limits.weight'], 'counts what is the work of many requests as many', async (home) => {
    const get = (path: string): ReturnType<typeof home.call> => home.call({ method: 'GET', path })
    expect((await get(home.at('hall-light', '/explain'))).status).toBe(200)
    const refused = await get('/v1/integration')
    expect(refused.status).toBe(429)
    const left = 10 - EXPLAIN_WEIGHT - (home.transport === 'http' ? 0 : 1)
    const { retryAfter } = (refused.body as Refused).error
    expect(retryAfter).toBe(Math.ceil((1 - left) / 2))
    await clock.advanceAsync(retryAfter * 1_000)
    expect((await get('/v1/integration')).status).toBe(200)
  })

  verifies(['limits.rate'], 'counts refused requests too, and a request over the rate has no effect', async (home) => {
    const path = home.at('hall-light')
    for (let turn = 0; turn < 12; turn++) await home.call({ method: 'GET', path: '/v1/nothing' })
    expect((await home.call({ method: 'PATCH', path, body: { name: 'Renamed' } })).status).toBe(429)
    await clock.advanceAsync(10_000)
    expect(await home.get(path)).toMatchObject({ device: { name: 'Hall light' } })
  })
})

describe('failed authentications of one address', () => {
  const verifies = verifiesAlone(() => ({ clock, settled: false }))

  verifies(
    ['limits.failed-authentications'],
    'are answered 429 beyond 60, and a valid token from there is served all the same',
    async (home) => {
      const from = '127.0.9.1'
      const fail = (address = from): ReturnType<typeof ask> =>
        ask(home.access(null), { path: '/v1/house', headers: { authorization: 'Bearer no' }, from: address })
      const answers = await Promise.all(Array.from({ length: 90 }, () => fail()))
      const unauthorized = answers.filter(({ status }) => status === 401).length
      expect(unauthorized).toBe(60)
      const refused = answers.filter(({ status }) => status !== 401)
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429))
      expect(refused[0]!.body).toEqual({
        error: { code: 'rate_limited', message: 'Too many requests. Wait and try again.', retryAfter: 1 },
      })
      expect(refused[0]!.headers?.['retry-after']).toBe('1')

      const valid = await ask(home.access(null), {
        path: '/v1/house',
        headers: { authorization: `Bearer ${home.main.token}` },
        from,
      })
      expect(valid.status).toBe(200)
      expect((await fail('127.0.9.2')).status).toBe(401)
      // A header that names another address is not believed.
      const forwarded = await ask(home.access(null), {
        path: '/v1/house',
        headers: { authorization: 'Bearer no', 'x-forwarded-for': '10.0.0.9', forwarded: 'for=10.0.0.9' },
        from,
      })
      expect(forwarded.status).toBe(429)
    },
  )
})
