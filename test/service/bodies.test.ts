import { describe, expect } from 'vitest'
import { type TestHome, verifiesOver } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { commandsOf } from '#support/gateway/await-home.ts'

const verifies = verifiesOver('stream')

const BODY_BYTES_MAX = 256 * 1024

/** Every operation with a body, and a valid body. Renaming is left out: its other fields are structure (Spec 4 rule 7). */
async function operations(
  home: TestHome,
): Promise<readonly (readonly [method: string, path: string, body: Record<string, unknown>])[]> {
  const step = { device: home.id('guest-light'), op: 'set_power', args: { on: true } }
  const scene = { name: 'Mine', steps: [step] }
  const automation = { name: 'Mine', when: [{ time: '07:30' }], then: [step] }
  const schedule = { name: 'Mine', at: { time: '07:30' }, then: [step] }
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await home.call({ method: 'POST', path, body })
    expect(answer.status, answer.text).toBe(201)
    const [thing] = Object.values(answer.body as object).filter((field) => typeof field === 'object') as {
      id: string
    }[]
    return `${path}/${encodeURIComponent(thing?.id ?? '')}`
  }
  const [ofScene, ofAutomation, ofSchedule] = [
    await made('/v1/scenes', scene),
    await made('/v1/automations', automation),
    await made('/v1/schedules', schedule),
  ]
  return [
    ['POST', home.at('guest-light', '/control'), { op: 'set_power', args: { on: true } }],
    ['POST', home.at('scene:dinner', '/control'), { op: 'run' }],
    ['PUT', home.at('guest-light', '/intents/led_mode'), { value: 'on' }],
    ['POST', '/v1/explain', { device: home.id('guest-light') }],
    ['POST', '/v1/scenes', scene],
    ['PATCH', ofScene, { ...scene, ifRevision: 1 }],
    ['POST', '/v1/automations', automation],
    ['PATCH', ofAutomation, { ...automation, ifRevision: 1 }],
    ['PUT', ofAutomation, { ...automation, ifRevision: 1 }],
    ['POST', '/v1/schedules', schedule],
    ['PATCH', ofSchedule, { ...schedule, ifRevision: 1 }],
    ['PUT', ofSchedule, { ...schedule, ifRevision: 1 }],
  ]
}

describe('a body', () => {
  verifies(
    ['requests.strict-bodies', '7.validation', 'refusals.message'],
    'with an unknown field is 422 validation that names the field, and has no effect',
    async (home) => {
      const all = await operations(home)
      const before = [
        commandsOf(home, 83),
        await home.get('/v1/scenes'),
        await home.get('/v1/automations'),
        await home.get('/v1/schedules'),
      ]
      for (const [method, path, body] of all) {
        for (const wrong of [
          { ...body, surprise: 1 },
          { ...body, surprise: null },
          { surprise: true, ...body },
        ]) {
          const answer = await home.call({ method, path, body: wrong })
          expect(answer, `${method} ${path}`).toMatchObject({
            status: 422,
            body: { error: { code: 'validation', message: expect.stringContaining('surprise') as string } },
          })
        }
      }
      expect([
        commandsOf(home, 83),
        await home.get('/v1/scenes'),
        await home.get('/v1/automations'),
        await home.get('/v1/schedules'),
      ]).toEqual(before)
    },
  )

  verifies(['requests.strict-bodies'], 'with an unknown field further inside is 422 validation too', async (home) => {
    const step = { device: home.id('guest-light'), op: 'set_power', args: { on: true } }
    const bodies: readonly (readonly [string, object])[] = [
      [home.at('guest-light', '/control'), { op: 'set_power', args: { on: true, surprise: 1 } }],
      ['/v1/scenes', { name: 'Mine', steps: [{ ...step, surprise: 1 }] }],
      ['/v1/scenes', { name: 'Mine', steps: [{ ...step, args: { on: true, surprise: 1 } }] }],
      ['/v1/scenes', { name: 'Mine', steps: [{ delay: 1, surprise: 1 }] }],
      ['/v1/automations', { name: 'Mine', when: [{ time: '07:30', surprise: 1 }], then: [step] }],
      [
        '/v1/automations',
        { name: 'Mine', when: [{ time: '07:30' }], if: [{ after: '08:00', surprise: 1 }], then: [step] },
      ],
      ['/v1/schedules', { name: 'Mine', at: { time: '07:30', surprise: 1 }, then: [step] }],
    ]
    for (const [path, body] of bodies)
      expect(await home.call({ method: 'POST', path, body }), JSON.stringify(body)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
  })

  verifies(
    ['requests.strict-bodies', '7.validation'],
    'that is missing or not an object is 422 validation',
    async (home) => {
      for (const [method, path] of await operations(home)) {
        for (const body of [undefined, [], 'text', 7, true]) {
          expect(
            await home.call({ method, path, ...(body === undefined ? {} : { body }) }),
            `${method} ${path} ${String(body)}`,
          ).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
        }
      }
    },
  )

  verifies(['requests.strict-bodies'], 'of a request that takes none is 422 validation', async (home) => {
    for (const path of ['/v1/house', home.at('guest-light'), '/v1/scenes']) {
      expect(await home.call({ method: 'GET', path, body: { surprise: 1 } }), path).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
    }
  })
})

describe('the bytes of a body', () => {
  const post = (
    home: TestHome,
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) =>
    rawRequest(home.access(home.main.token), {
      method: 'POST',
      path: home.at('guest-light', '/control'),
      body,
      headers: { authorization: `Bearer ${home.main.token}`, ...headers },
    })
  const RIGHT = '{"op":"set_power","args":{"on":true}}'

  verifies(['requests.malformed', '7.validation'], 'that are not JSON are 422 validation', async (home) => {
    const before = commandsOf(home, 83)
    const deep = `${'['.repeat(33)}${']'.repeat(33)}`
    const wrong = [
      '{',
      '',
      RIGHT.slice(0, -1),
      `${RIGHT}${RIGHT}`,
      "{'op':'set_power'}",
      '{"op":"set_power",}',
      'undefined',
      'NaN',
      deep,
      '['.repeat(100_000),
      '{"op":"set_power","args":{"on":true},"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{"admin":true}}}',
      Buffer.from([0xff, 0xfe, 0x00]),
    ]
    for (const body of wrong)
      expect(await post(home, body), String(body).slice(0, 60)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation' } },
      })
    expect(commandsOf(home, 83)).toBe(before)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    expect(await post(home, `  ${RIGHT}\n`)).toMatchObject({ status: 200 })
  })

  verifies(
    ['requests.media-type'],
    'of another media type, or compressed, are 415 unsupported_media_type',
    async (home) => {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/jsonp',
        'application/json-patch+json',
        'text/json',
        '',
      ]
      for (const type of types) {
        expect(await post(home, RIGHT, { 'content-type': type }), type).toMatchObject({
          status: 415,
          body: {
            error: { code: 'unsupported_media_type', message: 'Send the body as application/json, not compressed.' },
          },
        })
      }
      expect(await post(home, RIGHT, {})).toMatchObject({ status: 415 })
      for (const encoding of ['gzip', 'br', 'deflate']) {
        expect(
          await post(home, RIGHT, { 'content-type': 'application/json', 'content-encoding': encoding }),
        ).toMatchObject({ status: 415 })
      }
      for (const type of [
        'application/json',
        'application/json; charset=utf-8',
        'APPLICATION/JSON',
        'application/json;charset=UTF-8 ',
      ]) {
        expect(await post(home, RIGHT, { 'content-type': type }), type).toMatchObject({ status: 200 })
      }
    },
  )

  verifies(['requests.too-large'], 'are 256 KiB at most, else 413 payload_too_large', async (home) => {
    const padded = (bytes: number): string => RIGHT + ' '.repeat(bytes - RIGHT.length)
    expect(await post(home, padded(BODY_BYTES_MAX))).toMatchObject({ status: 200 })
    for (const bytes of [BODY_BYTES_MAX + 1, BODY_BYTES_MAX * 4]) {
      expect(await post(home, padded(bytes))).toMatchObject({
        status: 413,
        body: { error: { code: 'payload_too_large', message: 'The body is too large: 256 KiB at most.' } },
      })
    }
  })

  verifies(
    ['requests.malformed', 'requests.media-type', 'requests.too-large', 'refusals.order'],
    'are checked after the id: a hidden id is 404 with any body',
    async (home) => {
      const narrow = await home.integrate({ expose: ['room:study'] })
      const path = home.at('guest-light', '/control', narrow)
      for (const [body, type] of [
        ['{', 'application/json'],
        [RIGHT, 'text/plain'],
        [' '.repeat(BODY_BYTES_MAX + 1), 'application/json'],
      ] as const) {
        const answer = await rawRequest(home.access(narrow.token), {
          method: 'POST',
          path,
          body,
          headers: { authorization: `Bearer ${narrow.token}`, 'content-type': type },
        })
        expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
      }
    },
  )
})
