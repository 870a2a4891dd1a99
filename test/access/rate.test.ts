import { describe, expect } from 'vitest'
import { ANSWER_BYTES_A_REQUEST } from '../../src/api/admission.ts'
import { EXPLAIN_WEIGHT } from '../../src/api/contract/records.ts'
import { TestSocket } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, verifiesAlone } from '#support/gateway/harness.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { tokenText, partsOf } from '#support/gateway/token-parts.ts'

const clock = new ManualClock(Date.now())

interface Refused {
  error: { code: string; message: string; retryAfter: number }
}

describe('the rate of a credential', () => {
  const verifies = verifiesAlone(() => ({ clock, settled: false, rateLimit: { perSecond: 2, burst: 10 } }), {
    over: 'http',
  })

  verifies(
    ['limits.rate'],
    'allows a burst, then answers 429 with the seconds to wait, and serves a caller that waited',
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
    'counts both transports of one credential together, and other credentials separately',
    async (home) => {
      const other = await home.integrate({})
      const { main } = home
      for (let turn = 0; turn < 11; turn++) await home.call({ method: 'GET', path: '/v1/integration' })
      expect((await home.call({ method: 'GET', path: '/v1/integration' })).status).toBe(429)
      expect((await home.call({ method: 'GET', path: '/v1/integration', token: other.token })).status).toBe(200)
      const http = await rawRequest(home.access(null), {
        path: '/v1/integration',
        headers: { authorization: `Bearer ${main.token}` },
      })
      expect([http.status, http.headers?.['retry-after']]).toEqual([429, '1'])
      await expect(TestSocket.open(home.access(main.token))).rejects.toMatchObject({ answer: { status: 429 } })
    },
  )

  verifies(['limits.weight'], 'counts an expensive request as several', async (home) => {
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

  verifies(['limits.weight'], 'counts a long answer as one request per 64 KiB', { tags: ['long'] }, async (home) => {
    const maker = await home.integrate({ settings: EVERYTHING_ALLOWED })
    const device = home.id('hall-light', maker)
    const steps = Array.from({ length: 100 }, () => ({ device, op: 'set_power', args: { on: true } }))
    const body = { name: 'Long', at: { time: '03:00' }, then: steps }
    for (let made = 0; made < 26; made += 1) {
      const { status } = await home.call({ method: 'POST', path: '/v1/schedules', body, token: maker.token })
      expect(status).toBe(201)
      // On the stream a long message counts as several requests.
      await clock.advanceAsync(5_000)
    }
    const list = (): ReturnType<typeof home.call> => home.call({ method: 'GET', path: '/v1/schedules' })
    const { body: answered } = await list()
    const worth = Math.floor(Buffer.byteLength(JSON.stringify(answered)) / ANSWER_BYTES_A_REQUEST)
    expect(worth).toBeGreaterThan(3)
    const left = 10 - worth - (home.transport === 'http' ? 0 : 1)
    const answers = []
    for (let turn = 0; turn < 4; turn += 1) answers.push((await list()).status)
    expect(answers).toEqual([0, 1, 2, 3].map((turn) => (left - turn * worth >= 1 ? 200 : 429)))
  })

  verifies(
    ['limits.rate'],
    'counts refused requests too, and a request over the rate has no effect',
    { tags: ['long'] },
    async (home) => {
      const path = home.at('hall-light')
      for (let turn = 0; turn < 12; turn++) await home.call({ method: 'GET', path: '/v1/nothing' })
      expect((await home.call({ method: 'PATCH', path, body: { name: 'Renamed' } })).status).toBe(429)
      await clock.advanceAsync(10_000)
      expect(await home.get(path)).toMatchObject({ device: { name: 'Hall light' } })
    },
  )
})

describe('a request of the stream without an upgrade', () => {
  const verifies = verifiesAlone(() => ({ clock, settled: false, rateLimit: { perSecond: 2, burst: 10 } }), {
    over: 'http',
  })

  verifies(['limits.rate'], 'counts like every other request', { tags: ['long'] }, async (home) => {
    const headers = { authorization: `Bearer ${home.main.token}` }
    const answers = []
    for (let turn = 0; turn < 12; turn++)
      answers.push((await rawRequest(home.access(null), { path: '/v1/stream', headers })).status)
    expect(answers.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 426))
    expect(answers.at(-1)).toBe(429)
  })
})

describe('the time of the event loop', () => {
  const verifies = verifiesAlone(() => ({ clock, settled: false, rateLimit: { perSecond: 2, burst: 10 } }))

  verifies(['limits.weight'], 'counts against the rate, which stands for a quarter of it', async (home) => {
    const { energy } = home.running.gateway.home
    const answer = energy.answer.bind(energy)
    energy.answer = (query) => {
      clock.advance(1_000)
      return answer(query)
    }
    // A request stands for 125 ms. One second of work counts as eight requests, and meanwhile two become free again.
    const answers = []
    for (let turn = 0; turn < 4; turn += 1)
      answers.push((await home.call({ method: 'GET', path: '/v1/energy' })).status)
    expect(answers).toEqual([200, 200, 429, 429])
  })
})

describe('failed authentications of one address', () => {
  const verifies = verifiesAlone(() => ({ clock, settled: false }), { over: 'http' })

  verifies(
    ['limits.failed-authentications'],
    'are 429 beyond 60, while a valid token from the same address is served',
    async (home) => {
      const from = '127.0.9.1'
      // The relay itself counts tokens that name no home.
      const wrong = home.isRelayed ? tokenText({ ...partsOf(home.main.token), secret: 'A'.repeat(43) }) : 'no'
      const fail = (address = from): ReturnType<typeof rawRequest> =>
        rawRequest(home.access(null), {
          path: '/v1/house',
          headers: { authorization: `Bearer ${wrong}` },
          from: address,
        })
      const answers = await Promise.all(Array.from({ length: 90 }, () => fail()))
      const unauthorized = answers.filter(({ status }) => status === 401).length
      expect(unauthorized).toBe(60)
      const refused = answers.filter(({ status }) => status !== 401)
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429))
      expect(refused[0]!.body).toEqual({
        error: { code: 'rate_limited', message: 'Too many requests. Wait and try again.', retryAfter: 1 },
      })
      expect(refused[0]!.headers?.['retry-after']).toBe('1')

      const valid = await rawRequest(home.access(null), {
        path: '/v1/house',
        headers: { authorization: `Bearer ${home.main.token}` },
        from,
      })
      expect(valid.status).toBe(200)
      expect((await fail('127.0.9.2')).status).toBe(401)
      // Headers that name another address are ignored.
      const forwarded = await rawRequest(home.access(null), {
        path: '/v1/house',
        headers: { authorization: `Bearer ${wrong}`, 'x-forwarded-for': '10.0.0.9', forwarded: 'for=10.0.0.9' },
        from,
      })
      expect(forwarded.status).toBe(429)
    },
  )
})
