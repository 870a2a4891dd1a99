import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestSocket } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome } from '#support/gateway/harness.ts'
import { rawRequest, dial, readUntilClosed, exchangeBytes, statusOf } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { AttackedHome } from '#support/gateway/attacked-home.ts'

const KIB = 1024

let attacked: AttackedHome
let home: TestHome
beforeAll(async () => {
  attacked = await AttackedHome.open()
  home = attacked.home
})
afterAll(() => attacked[Symbol.asyncDispose]())

/** Expects the Error shape, which every part of the server uses for refusals. */
function expectErrorShape(response: string): void {
  const body = response.slice(response.indexOf('\r\n\r\n') + 4)
  expect(JSON.parse(body)).toEqual({
    error: expect.objectContaining({
      code: expect.any(String) as string,
      message: expect.any(String) as string,
    }) as object,
  })
}

describe('an invalid request', () => {
  test.each([
    [
      'Content-Length and Transfer-Encoding',
      () => `${attacked.post('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['two lengths', () => `${attacked.post('Content-Length: 2', 'Content-Length: 3')}{} `],
    ['a negative length', () => attacked.post('Content-Length: -1')],
    ['a length that is not a number', () => attacked.post('Content-Length: 0x10')],
    ['invalid chunks', () => `${attacked.post('Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`],
    ['lines that end with a bare line feed', () => 'GET /v1/about HTTP/1.1\nHost: localhost\n\n'],
    [
      'one header that ends with a bare line feed',
      () => 'GET /v1/about HTTP/1.1\r\nHost: localhost\nX-Other: 1\r\n\r\n',
    ],
    [
      'a header that continues in the next line',
      () => 'GET /v1/about HTTP/1.1\r\nHost: localhost\r\nX-Folded: a\r\n b\r\n\r\n',
    ],
    ['a blank before the colon', () => 'GET /v1/about HTTP/1.1\r\nHost : localhost\r\n\r\n'],
    ['a NUL in the path', () => `GET /v1/ab\0out HTTP/1.1\r\n${attacked.signedHead()}\r\n`],
    ['a method that does not exist', () => `GETT /v1/about HTTP/1.1\r\n${attacked.signedHead()}\r\n`],
    ['a method in lower case', () => `get /v1/about HTTP/1.1\r\n${attacked.signedHead()}\r\n`],
    ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['noise', () => Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7919) % 256)).toString('latin1')],
  ])('%s: refused, and the connection ends', async (_name, bytes) => {
    const response = await exchangeBytes(home.access(null), Buffer.from(bytes(), 'latin1'))
    expect(statusOf(response)).toBe(400)
    expectErrorShape(response)
    // Bytes after the refused request are not read as another one.
    expect(response.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  proves('limits.headers', 'headers of more than 16 KiB are 431, and smaller ones are accepted', async () => {
    const response = await exchangeBytes(
      home.access(null),
      `GET /v1/about HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(16 * KIB)}\r\n\r\n`,
    )
    expect(statusOf(response)).toBe(431)
    expectErrorShape(response)
    // A person at the console cannot know that a service on another port has filled the browser with cookies.
    expect(response).toContain('delete its cookies for this name')
    // Browsers send the cookies of all services of the host name.
    const cookie = Array.from({ length: 15 }, (_, at) => `other-${at}=${'a'.repeat(KIB - 16)}`).join('; ')
    expect((await rawRequest(home.access(null), { path: '/v1/about', headers: { cookie } })).status).toBe(200)
    const many = Array.from({ length: 3_000 }, (_, at) => `X-${at}: 1\r\n`).join('')
    expect(
      statusOf(await exchangeBytes(home.access(null), `GET /v1/about HTTP/1.1\r\nHost: localhost\r\n${many}\r\n`)),
    ).toBe(431)
  })

  test('a request that is cut in its middle leaves no trace', { tags: ['long'] }, async () => {
    const request = `${attacked.post('Content-Type: application/json', 'Content-Length: 40')}{"device":`
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const socket = await dial(home.access(null))
        socket.write(request.slice(0, (at + 1) * 8))
        socket.destroy()
      }),
    )
    expect((await home.call({ method: 'GET', path: '/v1/integration' })).status).toBe(200)
  })
})

describe('odd requests', () => {
  test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'M-SEARCH', 'QUERY', 'LINK', 'COPY', 'SUBSCRIBE'])(
    '%s is never served: 401 without a credential, 405 with Allow or 404 with one',
    async (method) => {
      expect((await rawRequest(home.access(null), { method, path: '/v1/house' })).status).toBe(401)
      const authorization = `Bearer ${home.main.token}`
      const known = await rawRequest(home.access(null), { method, path: '/v1/house', headers: { authorization } })
      expect([known.status, known.headers?.['allow']]).toEqual([405, 'GET, HEAD'])
      expect(
        (await rawRequest(home.access(null), { method, path: '/v1/nothing', headers: { authorization } })).status,
      ).toBe(404)
    },
  )

  test('CONNECT opens no tunnel', async () => {
    expect(
      await exchangeBytes(home.access(null), `CONNECT evil.example:443 HTTP/1.1\r\n${attacked.signedHead()}\r\n`),
    ).toBe('')
  })

  test('an upgrade at any other path than the stream is an ordinary request', async () => {
    const upgrade = {
      connection: 'Upgrade',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    const authorization = `Bearer ${home.main.token}`
    const status = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
      (await rawRequest(home.access(null), { method, path, headers })).status
    expect(await status('/v1/house', { ...upgrade, upgrade: 'websocket' })).toBe(401)
    expect(await status('/v1/house', { ...upgrade, upgrade: 'websocket', authorization })).toBe(200)
    expect(await status('/v1/nothing', { ...upgrade, upgrade: 'websocket' })).toBe(401)
    expect(await status('/v1/integration', { ...upgrade, upgrade: 'h2c', authorization })).toBe(200)
    expect(await status('/v1/stream', { ...upgrade, upgrade: 'websocket', authorization })).toBe(101)
    expect(await status('/v1/stream', { ...upgrade, upgrade: 'h2c', authorization })).toBe(426)
    expect(
      await status('/v1/stream', { ...upgrade, upgrade: 'websocket', 'sec-websocket-version': '8', authorization }),
    ).toBe(426)
    expect(await status('/v1/stream', { connection: 'Upgrade', upgrade: 'websocket', authorization })).toBe(426)
    expect([404, 405]).toContain(
      await status('/v1/stream', { ...upgrade, upgrade: 'websocket', authorization }, 'POST'),
    )
    const refused = await rawRequest(home.access(null), { path: '/v1/stream', headers: { authorization } })
    expect([refused.status, refused.headers?.['upgrade'], refused.headers?.['sec-websocket-version']]).toEqual([
      426,
      'websocket',
      '13',
    ])
  })

  test('paths of the OAuth sign-in, which only the relay has, are 404 with and without a credential', async () => {
    const paths = [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/mcp',
      '/register',
      '/authorize',
      '/token',
      '/.well-known/openid-configuration',
      '/.well-known',
      '/.well-known/',
      '/.well-known/oauth-authorization-server/',
      '/token/',
      '/.well-known/%zz',
    ]
    for (const access of [home.access(null), home.access('no token'), home.access(home.main.token)])
      for (const path of paths)
        for (const method of ['GET', 'POST']) {
          const answer = await rawRequest(access, { method, path })
          expect([path, method, answer.status, JSON.parse(answer.text).error.code]).toEqual([
            path,
            method,
            404,
            'not_found',
          ])
        }
  })

  test('unknown paths are 404, however they are written', async () => {
    const headers = { authorization: `Bearer ${home.main.token}` }
    const paths = [
      '/v1//house',
      '/v1/./house',
      '/v1/../v1/house',
      '/v1/house/',
      '/V1/house',
      '/v1/House',
      '/v1/house%2f',
      '/v1%2fhouse',
      '/v1/house;x=1',
      '/v1/%zz',
      '/v1/devices/%',
      '/v1/devices/%ff%fe',
      `/v1/devices/${'a'.repeat(5_000)}`,
      `/v1/devices/${'%41'.repeat(2_000)}`,
      '/v1/devices/..%2f..%2fetc%2fpasswd',
      '/..%2f..%2fetc/passwd',
      '/v1/devices/%00',
      '/v1/devices/__proto__',
      '/v1/devices/constructor',
    ]
    const answers = await Promise.all(
      paths.map(async (path) => [path, (await rawRequest(home.access(null), { path, headers })).status]),
    )
    expect(answers).toEqual(paths.map((path) => [path, 404]))
  })

  test('an unknown Expect header is ignored, and 100-continue works', async () => {
    const line = (expectation: string): string =>
      `${attacked.post(`Expect: ${expectation}`, 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close')}{}`
    expect(statusOf(await exchangeBytes(home.access(null), line('a-cookie')))).toBe(422)
    const response = await exchangeBytes(home.access(null), line('100-continue'))
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422 /)
  })

  test('requests sent in one go are answered in their order', async () => {
    const response = await exchangeBytes(
      home.access(null),
      `GET /v1/nothing HTTP/1.1\r\n${attacked.signedHead()}\r\nGET /v1/about HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    expect(response.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
  })
})

describe('hostile sockets', () => {
  test('a message that is too large, not text or an invalid frame ends only its own socket', async () => {
    const other = await home.socket()
    const ends = async (hurt: (socket: TestSocket) => void): Promise<number> => {
      const socket = await TestSocket.open(home.access(home.main.token))
      hurt(socket)
      return socket.ended
    }
    expect(await ends(({ socket }) => socket.send('x'.repeat(64 * KIB + 1)))).toBe(1009)
    expect(await ends(({ socket }) => socket.send(Buffer.from([0xff, 0xfe, 0xfd]), { binary: false }))).toBe(1007)
    const raw = await dial(home.access(null))
    raw.write(
      `GET /v1/stream HTTP/1.1\r\n${attacked.signedHead()}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    )
    const response = readUntilClosed(raw)
    // Clients must not send unmasked frames.
    raw.write(Buffer.from([0x81, 0x02, 0x7b, 0x7d]))
    expect(statusOf(await response)).toBe(101)
    expect(JSON.parse(await other.ask('a', { id: 'a', method: 'GET', path: '/v1/integration' }))).toMatchObject({
      status: 200,
    })
    other.close()
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
