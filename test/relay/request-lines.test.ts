// @module-tag repeated
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { dial, readUntilClosed, exchangeBytes, statusOf } from '#support/gateway/raw-client.ts'
import { REQUESTS_OF_CONNECTION_MAX } from '../../relay/edge/connection-requests.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf } from '#support/long.ts'
import { TestRelay } from '#support/relay/test-relay.ts'

let relay: TestRelay
let home: TestHome
beforeAll(async () => {
  relay = await TestRelay.open()
  home = await TestHome.open('http')
  await relay.serve(home.running)
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
  await relay[Symbol.asyncDispose]()
})

interface Heard {
  readonly status: number
  readonly body: string
}

/** Sends a request on its own connection and returns the whole response. */
async function responseTo(at: 'relay' | 'home', head: readonly string[], body = ''): Promise<Heard> {
  const door = at === 'relay' ? relay.access(null) : home.access(null)
  const text = await exchangeBytes(door, `${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

/** Response of home and relay, which must be the same. */
async function same(head: readonly string[], body?: string): Promise<Heard> {
  const [there, here] = [await responseTo('relay', head, body), await responseTo('home', head, body)]
  expect(there, head[0]).toEqual(here)
  return here
}

const signed = (): string => `Authorization: Bearer ${home.main.token}`
const message = ({ body }: Heard): unknown => (JSON.parse(body) as { error: { message: string } }).error.message

proves(
  'requests.http10',
  'TLS agrees on HTTP/1.0 with a client that offers nothing newer, at home and at the relay',
  async () => {
    for (const door of [home.access(null), relay.access(null)]) {
      const socket = await dial(door, { ALPNProtocols: ['http/1.0'] })
      const answer = readUntilClosed(socket)
      socket.write(`GET /v1/integration HTTP/1.0\r\nHost: localhost\r\n${signed()}\r\n\r\n`)
      expect([socket.alpnProtocol, statusOf(await answer)]).toEqual(['http/1.0', 200])
    }
  },
)

describe('headers', () => {
  test('of 15 KiB are accepted at home and through the relay, larger ones nowhere', async () => {
    const head = ['GET /v1/integration HTTP/1.1', 'Host: localhost']
    const long = await same([...head, `Authorization: Bearer ${'a'.repeat(15 * 1024)}`])
    expect(long.status).toBe(401)
    expect((await same([...head, `Authorization: Bearer ${'a'.repeat(16 * 1024)}`])).status).toBe(431)
  })
})

describe('a request line', () => {
  proves('relay.target', 'in absolute form is read like one in origin form, at home and at the relay', async () => {
    const plain = await same(['GET /v1/integration HTTP/1.1', 'Host: localhost', signed()])
    expect(plain.status).toBe(200)
    for (const target of ['https://localhost/v1/integration', 'HTTPS://LOCALHOST:443/v1/integration'])
      expect(await same([`GET ${target} HTTP/1.1`, 'Host: example.org', signed()])).toEqual(plain)
    const nowhere = ['GET https://localhost/nowhere HTTP/1.1', 'Host: localhost', signed()]
    expect((await same(nowhere)).status).toBe(404)
    // Without a path it is the root: unknown at home, the start page at the relay.
    const root = ['GET https://localhost HTTP/1.1', 'Host: localhost']
    expect([(await responseTo('home', root)).status, (await responseTo('relay', root)).status]).toEqual([401, 303])
  })

  proves('relay.target', 'of another host or scheme is misdirected, with a token and without', async () => {
    const others = ['https://example.org/', 'http://localhost/v1/house', 'http://x/', 'https://u@localhost/', 'a://b']
    for (const target of casesOf(others, 2))
      for (const token of [[signed()], []]) {
        const head = [`GET ${target} HTTP/1.1`, 'Host: localhost', ...token]
        const statuses = [(await responseTo('relay', head)).status, (await responseTo('home', head)).status]
        expect([target, ...statuses]).toEqual([target, 421, 421])
      }
  })

  proves('relay.target', 'without a path is unknown, as at home', { tags: ['long'] }, async () => {
    for (const method of ['GET', 'OPTIONS', 'POST'])
      expect(await same([`${method} * HTTP/1.1`, 'Host: localhost', signed()])).toMatchObject({ status: 404 })
    const stranger = ['OPTIONS * HTTP/1.1', 'Host: localhost', `${signed().slice(0, -4)}AAAA`]
    expect(await same(stranger)).toMatchObject({ status: 401 })
  })

  proves('relay.target', 'in absolute form opens the stream too', async () => {
    const upgrade = [
      'GET https://localhost/v1/stream HTTP/1.1',
      'Host: localhost',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
      'Authorization: Bearer nothing',
    ]
    expect((await same([...upgrade, 'Connection: Upgrade'])).status).toBe(401)
  })
})

describe('repeated headers', () => {
  proves('relay.one-credential', 'two Authorization headers count as no credential', async () => {
    const other = 'Authorization: Bearer another'
    for (const both of [
      [signed(), other],
      [other, signed()],
    ])
      expect((await same(['GET /v1/house HTTP/1.1', 'Host: localhost', ...both])).status).toBe(401)
  })
})

describe('a body of the device flow', () => {
  const posted = (path: string, body: string): Promise<Heard> =>
    same(
      [
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      ],
      body,
    )

  proves('relay.pairing-bodies', 'that is no object is refused with the same message', { tags: ['long'] }, async () => {
    for (const path of ['/v1/pair', '/v1/pair/token']) {
      for (const body of ['[]', 'null', '1', '"x"'])
        expect(message(await posted(path, body))).toBe('The body must be an object.')
      expect(message(await posted(path, '{'))).toBe('The body is not valid JSON.')
      expect(message(await posted(path, `${'['.repeat(40)}${']'.repeat(40)}`))).toContain('nested too deep')
    }
  })

  proves('relay.pairing-bodies', 'with an impossible gateway is refused without a request to a gateway', async () => {
    for (const gateway of ['nope', '', 'ABCDEFGHJKMN', 'g'.repeat(3_000)]) {
      const refused = await posted('/v1/pair', JSON.stringify({ gateway, name: 'Script', platform: 'Test' }))
      expect(message(refused)).toBe('gateway: must be the id of a gateway: 12 small letters and digits.')
      expect(refused.status).toBe(422)
    }
  })

  proves('relay.pairing-bodies', 'that polls with other members than a code is refused', async () => {
    for (const body of [{}, { code: 5 }, { code: '' }, { code: 'x', name: 'y' }, { code: 'c'.repeat(129) }])
      expect((await posted('/v1/pair/token', JSON.stringify(body))).status).toBe(422)
    expect(await posted('/v1/pair/token', '{"code":"none"}')).toEqual({
      status: 400,
      body: '{"error":"expired_token"}',
    })
  })
})

describe('pipelined requests', () => {
  proves('relay.pipelined', 'are served in order up to a limit, and refused beyond it', async () => {
    const request = ['GET /v1/integration HTTP/1.1', 'Host: localhost', signed()].join('\r\n')
    const count = REQUESTS_OF_CONNECTION_MAX + 4
    const text = await exchangeBytes(relay.access(null), `${request}\r\n\r\n`.repeat(count))
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
    expect(statuses).toEqual([...Array<number>(REQUESTS_OF_CONNECTION_MAX).fill(200), 429])
  })
})

test('a form that is too large for a page of the relay is refused with a message', async () => {
  const form = 'x'.repeat(1_000_000)
  const origin = `Origin: ${relay.relay.url}`
  const type = 'Content-Type: application/x-www-form-urlencoded'
  const head = ['POST /signin HTTP/1.1', 'Host: localhost', origin, type, `Content-Length: ${form.length}`]
  const refused = await responseTo('relay', head, form)
  expect(refused.status).toBe(413)
  expect(refused.body).toContain('The form is too large: 8 KiB at most.')
})
