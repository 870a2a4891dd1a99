import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVERYTHING_ALLOWED, type TestHome } from '#support/gateway/harness.ts'
import { rawRequest, exchangeBytes, statusOf } from '#support/gateway/raw-client.ts'
import { AttackedHome } from '#support/gateway/attacked-home.ts'

const KIB = 1024

let attacked: AttackedHome
let home: TestHome
beforeAll(async () => {
  attacked = await AttackedHome.open()
  home = attacked.home
})
afterAll(() => attacked[Symbol.asyncDispose]())

/** A rename, padded with blanks to so many bytes. */
const renameOf = (bytes: number): string => '{"name":"Hall light"}'.padEnd(bytes, ' ')

describe('bodies', () => {
  const json = { 'content-type': 'application/json' }
  const send = (body: string | Buffer, headers: Record<string, string> = json): ReturnType<typeof rawRequest> =>
    rawRequest(home.access(null), {
      method: 'PATCH',
      path: home.at('hall-light'),
      body,
      headers: { ...headers, authorization: `Bearer ${home.main.token}` },
    })

  test('of 256 KiB are accepted; one byte more is 413 and closes the connection', async () => {
    expect((await send(renameOf(256 * KIB))).status).toBe(200)
    const refused = await send(renameOf(256 * KIB + 1))
    expect([refused.status, refused.body, refused.headers?.['connection']]).toEqual([
      413,
      { error: { code: 'payload_too_large', message: 'The body is too large: 256 KiB at most.' } },
      'close',
    ])
    // The limit holds even without a Content-Length.
    const chunked = await exchangeBytes(
      home.access(null),
      `${attacked.post('Content-Type: application/json', 'Transfer-Encoding: chunked')}${`10000\r\n${' '.repeat(0x10000)}\r\n`.repeat(5)}0\r\n\r\n`,
    )
    expect(statusOf(chunked)).toBe(413)
  })

  test('with a Content-Length beyond the limit are 413 before their first byte', async () => {
    const announced = (head: string, bytes: number): Promise<string> =>
      exchangeBytes(home.access(null), head.replace('Transfer-Encoding: chunked', `Content-Length: ${bytes}`))
    const post = attacked.post('Content-Type: application/json', 'Transfer-Encoding: chunked')
    const pair = `POST /v1/pair HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(statusOf(await announced(pair, 4 * KIB + 1))).toBe(413)
    expect(statusOf(await announced(post, 256 * KIB + 1))).toBe(413)
  })

  test('that are compressed or have another type than JSON are 415', async () => {
    const refused = {
      error: { code: 'unsupported_media_type', message: 'Send the body as application/json, not compressed.' },
    }
    for (const headers of [
      { ...json, 'content-encoding': 'gzip' },
      { ...json, 'content-encoding': 'br' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
    ]) {
      const answer = await send('{"name":"Hall light"}', headers)
      expect([headers, answer.status, answer.body]).toEqual([headers, 415, refused])
    }
    expect((await send('{"name":"Hall light"}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(
      200,
    )
  })

  test('that nest 200,000 deep, are cut, or are not UTF-8 are 422', async () => {
    const wrong = [
      '['.repeat(200_000),
      '{"a":'.repeat(40_000),
      '{"name":',
      '',
      'null',
      '[]',
      '"x"',
      '{"name":"a"}{"name":"b"}',
      '{"name":1e999}',
      '{"name":NaN}',
      "{'name':'a'}",
      '\u{feff}{"name":1}',
    ]
    const nested = async (levels: number): Promise<unknown> =>
      (await send(`{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`)).body
    expect(await nested(33)).toEqual({
      error: { code: 'validation', message: 'The body is nested too deeply: 32 levels at most.' },
    })
    expect(await nested(32)).not.toEqual(await nested(33))
    for (const body of [...wrong, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])]) {
      const answer = await send(body)
      expect([String(body).slice(0, 40), answer.status]).toEqual([String(body).slice(0, 40), 422])
    }
  })
})

const POLLUTIONS = [
  '{"__proto__":{"polluted":true}}',
  '{"\\u005f_proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"name":"Hall light","__proto__":{"polluted":true}}',
  '{"op":"set_power","args":{"on":true,"__proto__":{"polluted":true}}}',
  '{"op":"set_power","args":{"__proto__":{"on":true}}}',
  '{"op":"set_power","args":{"constructor":{"prototype":{"polluted":true}}}}',
  '{"op":"__proto__"}',
  '{"op":"constructor","args":{}}',
  '{"op":"toString"}',
  '{"op":{"__proto__":"set_power"}}',
  '[{"__proto__":{"polluted":true}}]',
  '{"prototype":{"polluted":true}}',
  '{"__defineGetter__":"x"}',
  '{"hasOwnProperty":1}',
  '{"device":"__proto__"}',
  '{"device":"constructor"}',
]

describe('prototype pollution', () => {
  const untouched = (): void => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
  }

  test('in bodies, queries and paths over HTTPS is refused without effect', { tags: ['long'] }, async () => {
    const headers = { authorization: `Bearer ${home.main.token}`, 'content-type': 'application/json' }
    for (const body of POLLUTIONS) {
      for (const [method, path] of [
        ['POST', home.at('hall-light', '/control')],
        ['PATCH', home.at('hall-light')],
        ['POST', '/v1/explain'],
        ['POST', '/v1/scenes'],
      ] as const) {
        const { status } = await rawRequest(home.access(null), { method, path, headers, body })
        expect([method, path, body, [403, 404, 422].includes(status)]).toEqual([method, path, body, true])
      }
    }
    for (const query of [
      '__proto__[polluted]=1',
      '__proto__.polluted=1',
      '__proto__=1',
      'constructor[prototype][polluted]=1',
      'constructor=1',
      'hasOwnProperty=1',
    ]) {
      expect([query, (await rawRequest(home.access(null), { path: `/v1/activity?${query}`, headers })).status]).toEqual(
        [query, 422],
      )
    }
    untouched()
  })

  test('in messages of the stream is refused without effect', async () => {
    const socket = await home.socket()
    const messages = [
      ...POLLUTIONS.flatMap((body) => [
        body,
        `{"id":"x","method":"POST","path":"${home.at('hall-light', '/control')}","body":${body}}`,
        `{"id":"x","method":"GET","path":"/v1/activity","query":${body}}`,
      ]),
      '{"subscribe":["__proto__"]}',
      '{"subscribe":["device:__proto__"]}',
      '{"subscribe":["room:constructor"]}',
      '{"id":"__proto__","method":"GET","path":"/v1/nothing"}',
      '{"id":"x","method":"__proto__","path":"constructor"}',
    ]
    const statuses = new Set<number>()
    socket.socket.on('message', (data: Buffer) => {
      const { id, status } = JSON.parse(data.toString()) as { id: string | null; status: number }
      if (id !== 'last') statuses.add(status)
    })
    for (const message of messages) socket.socket.send(message)
    await socket.ask('last', { id: 'last', method: 'GET', path: '/v1/about' })
    expect(statuses).toEqual(new Set([404, 422]))
    untouched()
    socket.close()
  })
})

describe('after all attacks', () => {
  test('the gateway works, has logged no defect, and has closed its file descriptors', async () => {
    const { settings, switched, defects, filesMore } = await attacked.condition()
    expect(settings).toMatchObject(EVERYTHING_ALLOWED)
    expect(switched).toMatchObject({ state: { on: true } })
    expect(defects).toEqual([])
    expect(filesMore).toBeLessThanOrEqual(0)
  })
})
