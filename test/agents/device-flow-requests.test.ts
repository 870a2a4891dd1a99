import { describe, expect } from 'vitest'
import { verifiesAlone } from '#support/gateway/harness.ts'
import {
  startPairing,
  postPairing,
  EXPIRED,
  allowAgents,
  passSeconds,
  withPassingClock,
  PENDING,
  poll,
  pairingBody,
} from './device-flow.ts'

const verifies = verifiesAlone(withPassingClock, { over: 'stream' })

describe('limits', () => {
  verifies(
    ['8.pairing'],
    'allow the home 5 requests a minute, even from one source, and name the time to wait',
    { tags: ['long'] },
    async (home) => {
      await allowAgents(home)
      for (let turn = 0; turn < 5; turn++) await startPairing(home)
      const refused = await postPairing(home)
      expect(refused).toMatchObject({
        status: 429,
        body: { error: { code: 'rate_limited', retryAfter: expect.any(Number) as number } },
      })
      if (home.transport === 'http')
        expect(refused.headers?.['retry-after']).toBe(
          String((refused.body as { error: { retryAfter: number } }).error.retryAfter),
        )
      expect((refused.body as { error: { retryAfter: number } }).error.retryAfter).toBeLessThanOrEqual(60)
      await passSeconds(home, 61)
      for (let turn = 0; turn < 5; turn++) expect((await postPairing(home)).status).toBe(200)
      expect(await postPairing(home)).toMatchObject({ status: 429 })
    },
  )

  verifies(
    ['7.device-flow', 'agents.pair-open'],
    'stop callers that guess codes, but not a caller with a valid code',
    async (home) => {
      await allowAgents(home)
      const { code } = await startPairing(home)
      const guess = (turn: number): Promise<{ status: number; body: unknown }> =>
        poll(home, `${home.running.gateway.serial}.${'A'.repeat(40)}${String(turn).padStart(3, '0')}`)
      const guesses = []
      for (let turn = 0; turn < 70; turn++) guesses.push(await guess(turn))
      expect(guesses.slice(0, 60).filter(({ status }) => status !== 400)).toEqual([])
      expect(guesses.at(-1)).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } })
      expect(await poll(home, code)).toMatchObject(PENDING)
      await passSeconds(home, 10)
      expect(await guess(99)).toMatchObject(EXPIRED)
    },
  )
})

/** Escapes, because the characters themselves would be invisible in this file. */
const DISGUISES: readonly (readonly [label: string, text: string])[] = [
  ['a line feed', 'Claude\nAccepted'],
  ['a carriage return', 'a\rb'],
  ['an escape', '\u001b[2J'],
  ['a null', 'a\0b'],
  ['a C1 control', 'a\u009bb'],
  ['a delete', 'a\u007fb'],
  ['right-to-left override', 'a\u202eb'],
  ['left-to-right isolate', 'a\u2066b'],
  ['a right-to-left mark', 'a\u200fb'],
  ['an Arabic letter mark', 'a\u061cb'],
  ['zero-width space', 'Cla\u200bude'],
  ['zero-width joiner', 'a\u200db'],
  ['word joiner', 'a\u2060b'],
  ['a byte order mark inside', 'a\ufeffb'],
  ['a soft hyphen', 'a\u00adb'],
  ['a tag character', 'a\u{e0041}b'],
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', 'a\u2029b'],
  ['half a character', 'a\ud800b'],
  ['a Hangul filler', '\u3164'],
  ['the empty braille cell', '\u2800'],
  ['only spaces', '   '],
  ['nothing', ''],
  ['65 characters', 'x'.repeat(65)],
]

describe('names', () => {
  verifies(['agents.names', '7.validation'], 'and platforms that could deceive a reader are refused', async (home) => {
    await allowAgents(home)
    for (const [label, text] of DISGUISES) {
      for (const field of ['name', 'platform']) {
        const answer = await postPairing(home, { [field]: text })
        expect([label, field, answer.status, answer.text]).toEqual([
          label,
          field,
          422,
          expect.stringMatching(new RegExp(`"code":"validation","message":"${field}: `)),
        ])
      }
      expect([label, (await postPairing(home, { suggested: { exposure: [text] } })).status]).toEqual([label, 422])
    }
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
  })

  verifies(['agents.names'], 'with quotes, markup or other scripts are stored unchanged', async (home) => {
    await allowAgents(home)
    const names = ['Zoë’s "helper" <b>', 'お手伝い 🤖', `O'Neil; rm -rf / \\`]
    for (const name of names) await startPairing(home, { name: `  ${name} `, platform: name })
    expect(await home.running.admin.call('GET', '/agents/requests')).toMatchObject({
      requests: names.map((name) => ({ name, platform: name })),
    })
  })
})

describe('hostile requests', () => {
  verifies(['4.pair', '7.validation'], 'are refused with the standard error body and store nothing', async (home) => {
    await allowAgents(home)
    const bodies: unknown[] = [
      undefined,
      {},
      [],
      'text',
      7,
      true,
      { ...pairingBody(home), surprise: 1 },
      pairingBody(home, { name: 7 }),
      pairingBody(home, { name: null }),
      pairingBody(home, { platform: ['x'] }),
      pairingBody(home, { platform: undefined }),
      pairingBody(home, { gateway: { $ne: '' } }),
      pairingBody(home, { gateway: 'g'.repeat(3_000) }),
      pairingBody(home, { record: 7 }),
      pairingBody(home, { record: 'r'.repeat(65) }),
      pairingBody(home, { name: 'n'.repeat(3_000) }),
      pairingBody(home, { hosted: true }),
      pairingBody(home, { suggested: 'All' }),
      pairingBody(home, { suggested: { exposure: 'Some' } }),
      pairingBody(home, { suggested: { exposure: [] } }),
      pairingBody(home, { suggested: { exposure: Array.from({ length: 51 }, () => 'Hall') } }),
      pairingBody(home, { suggested: { settings: { allow_unlock: 'maybe' } } }),
      pairingBody(home, { suggested: { settings: { root: 'on' } } }),
      pairingBody(home, { suggested: { more: 1 } }),
    ]
    for (const body of bodies) {
      const answer = await home.call({
        method: 'POST',
        path: '/v1/pair',
        ...(body === undefined ? {} : { body }),
        token: home.transport === 'http' ? null : home.main.token,
      })
      expect([JSON.stringify(body)?.slice(0, 80), answer.status, answer.text]).toEqual([
        JSON.stringify(body)?.slice(0, 80),
        422,
        expect.stringMatching(/^\{"error":\{"code":"validation","message":"[^]{1,400}"\}\}$/),
      ])
    }
    for (const body of [
      undefined,
      {},
      [],
      { code: 7 },
      { code: null },
      { code: '' },
      { code: 'x'.repeat(129) },
      { code: 'x'.repeat(3_000) },
      { code: 'x', more: 1 },
      { code: { length: 43 } },
    ]) {
      const answer = await home.call({
        method: 'POST',
        path: '/v1/pair/token',
        ...(body === undefined ? {} : { body }),
        token: home.transport === 'http' ? null : home.main.token,
      })
      expect(answer, JSON.stringify(body)?.slice(0, 80)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
    }
    for (const code of [
      'x',
      'A'.repeat(42),
      'A'.repeat(43),
      'A'.repeat(44),
      'A'.repeat(128),
      '%00',
      "' OR 1=1 --",
      '\u0000',
      'ünïcode',
    ])
      expect(await poll(home, code)).toMatchObject(EXPIRED)
    expect(
      await home.call({
        method: 'POST',
        path: '/v1/pair',
        query: { x: '1' },
        body: pairingBody(home),
        token: home.transport === 'http' ? null : home.main.token,
      }),
    ).toMatchObject({ status: 422 })
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
  })
})
