// @module-tag long
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVERYTHING_ALLOWED, TestHome } from '#support/gateway/harness.ts'
import { dial, readUntilClosed, statusOf } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

let running: TestGateway
let home: TestHome

beforeAll(async () => {
  running = await TestGateway.open()
  home = await TestHome.at('http', running)
})

afterAll(async () => {
  await home[Symbol.asyncDispose]()
  await running[Symbol.asyncDispose]()
})

const signed = (): string => `Host: localhost\r\nAuthorization: Bearer ${home.main.token}\r\n`

/** Says `first`, then a byte a second until the gateway has had enough; answers all that was heard. */
async function drip(first: string, byte: string): Promise<string> {
  const socket = await dial(home.access(null))
  const heard = readUntilClosed(socket)
  socket.write(first)
  const drops = setInterval(() => socket.write(byte), 1_000)
  try {
    return await heard
  } finally {
    clearInterval(drops)
  }
}

// They all wait for the gateway's own time limits; they wait at the same time.
describe.concurrent('a peer that takes its time', () => {
  test('and says nothing at all is cut off after 5 s', async () => {
    const socket = connect(running.gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'close')
    expect(socket.bytesRead).toBe(0)
  })

  test('and begins a handshake without ending it is cut off after 5 s', async () => {
    const socket = connect(running.gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    // The head of a record of 512 bytes, and no more.
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
    await once(socket, 'close')
    expect(socket.bytesRead).toBe(0)
  })

  test('with its headers is told so after 5 s', async () => {
    expect(statusOf(await drip(`GET /v1/about HTTP/1.1\r\n${signed()}X-Slow: `, 'a'))).toBe(408)
  })

  test('after the handshake, without a request, is cut off after 5 s', async () => {
    const heard = await readUntilClosed(await dial(home.access(null)))
    expect([0, 408]).toContain(statusOf(heard))
  })

  test('with its body is told so after 10 s', async () => {
    const heard = await drip(
      `POST /v1/explain HTTP/1.1\r\n${signed()}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      ' ',
    )
    expect(statusOf(heard)).toBe(408)
    expect(heard).toContain('{"error":{"code":"validation","message":"The request took too long to arrive."}}')
  })

  test('keeps nobody else from being served', async () => {
    await Promise.all(
      Array.from({ length: 100 }, () =>
        once(
          // From an address of their own: beyond their share the oldest of an address would make room.
          connect({ port: running.gateway.port, host: '127.0.0.1', localAddress: '127.0.0.7' }).on('error', () => {}),
          'connect',
        ),
      ),
    )
    expect(await home.get('/v1/integration')).toMatchObject({ integration: { settings: EVERYTHING_ALLOWED } })
  })
})
