import { describe, expect } from 'vitest'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { asked, askFor, EXPIRED, letIn, pass, passing, PENDING, poll, wish } from './device-flow.ts'

const verifies = verifiesAlone(passing, { over: 'stream' })

describe('limits', () => {
  verifies(
    ['8.pairing'],
    'bind the home to 5 a minute, also where one source asks for all, and say when to try again',
    { tags: ['long'] },
    async (home) => {
      await letIn(home)
      for (let turn = 0; turn < 5; turn++) await asked(home)
      const refused = await askFor(home)
      expect(refused).toMatchObject({
        status: 429,
        body: { error: { code: 'rate_limited', retryAfter: expect.any(Number) as number } },
      })
      if (home.transport === 'http')
        expect(refused.headers?.['retry-after']).toBe(
          String((refused.body as { error: { retryAfter: number } }).error.retryAfter),
        )
      expect((refused.body as { error: { retryAfter: number } }).error.retryAfter).toBeLessThanOrEqual(60)
      await pass(home, 61)
      for (let turn = 0; turn < 5; turn++) expect((await askFor(home)).status).toBe(200)
      expect(await askFor(home)).toMatchObject({ status: 429 })
    },
  )

  verifies(
    ['7.device-flow', 'agents.pair-open'],
    'bind whoever guesses codes, and not whoever has one',
    async (home) => {
      await letIn(home)
      const { code } = await asked(home)
      const guess = (turn: number): Promise<{ status: number; body: unknown }> =>
        poll(home, `${home.running.gateway.serial}.${'A'.repeat(40)}${String(turn).padStart(3, '0')}`)
      const guesses = []
      for (let turn = 0; turn < 70; turn++) guesses.push(await guess(turn))
      expect(guesses.slice(0, 60).filter(({ status }) => status !== 400)).toEqual([])
      expect(guesses.at(-1)).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } })
      expect(await poll(home, code)).toMatchObject(PENDING)
      await pass(home, 10)
      expect(await guess(99)).toMatchObject(EXPIRED)
    },
  )
})

/** Every character as itself would hide it here. */
const DISGUISES: readonly (readonly [what: string, text: string])[] = [
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
  verifies(['agents.names', '7.validation'], 'and platforms that disguise themselves are refused', async (home) => {
    await letIn(home)
    for (const [what, text] of DISGUISES) {
      for (const field of ['name', 'platform']) {
        const answer = await askFor(home, { [field]: text })
        expect([what, field, answer.status, answer.text]).toEqual([
          what,
          field,
          422,
          expect.stringMatching(new RegExp(`"code":"validation","message":"${field}: `)),
        ])
      }
      expect([what, (await askFor(home, { suggested: { exposure: [text] } })).status]).toEqual([what, 422])
    }
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
  })

  verifies(['agents.names'], 'that people have are taken as they are, quotes and all', async (home) => {
    await letIn(home)
    const names = ['Zoë’s "helper" <b>', 'お手伝い 🤖', `O'Neil; rm -rf / \\`]
    for (const name of names) await asked(home, { name: `  ${name} `, platform: name })
    expect(await home.running.admin.call('GET', '/agents/requests')).toMatchObject({
      requests: names.map((name) => ({ name, platform: name })),
    })
  })
})

describe('hostile requests', () => {
  verifies(['4.pair', '7.validation'], 'are refused in the one shape and leave nothing behind', async (home) => {
    await letIn(home)
    const bodies: unknown[] = [
      undefined,
      {},
      [],
      'text',
      7,
      true,
      { ...wish(home), surprise: 1 },
      wish(home, { name: 7 }),
      wish(home, { name: null }),
      wish(home, { platform: ['x'] }),
      wish(home, { platform: undefined }),
      wish(home, { gateway: { $ne: '' } }),
      wish(home, { gateway: 'g'.repeat(3_000) }),
      wish(home, { record: 7 }),
      wish(home, { record: 'r'.repeat(65) }),
      wish(home, { name: 'n'.repeat(3_000) }),
      wish(home, { hosted: true }),
      wish(home, { suggested: 'All' }),
      wish(home, { suggested: { exposure: 'Some' } }),
      wish(home, { suggested: { exposure: [] } }),
      wish(home, { suggested: { exposure: Array.from({ length: 51 }, () => 'Hall') } }),
      wish(home, { suggested: { settings: { allow_unlock: 'maybe' } } }),
      wish(home, { suggested: { settings: { root: 'on' } } }),
      wish(home, { suggested: { more: 1 } }),
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
        body: wish(home),
        token: home.transport === 'http' ? null : home.main.token,
      }),
    ).toMatchObject({ status: 422 })
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
  })
})
