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

/** Sends `first`, then a byte a second until the gateway closes the connection. Returns the response. */
async function drip(first: string, byte: string): Promise<string> {
  const socket = await dial(home.access(null))
  const response = readUntilClosed(socket)
  socket.write(first)
  const drops = setInterval(() => socket.write(byte), 1_000)
  try {
    return await response
  } finally {
    clearInterval(drops)
  }
}

// The tests wait for real time limits of the gateway, so they run at the same time.
describe.concurrent('a slow peer', () => {
  test('without a byte is disconnected after 5 s', async () => {
    const socket = connect(running.gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'close')
    expect(socket.bytesRead).toBe(0)
  })

  test('in an unfinished handshake is disconnected after 5 s', async () => {
    const socket = connect(running.gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    // The peer sends only the head of a record of 512 bytes.
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
    await once(socket, 'close')
    expect(socket.bytesRead).toBe(0)
  })

  test('in its headers gets 408 after 5 s', async () => {
    expect(statusOf(await drip(`GET /v1/about HTTP/1.1\r\n${signed()}X-Slow: `, 'a'))).toBe(408)
  })

  test('without a request after the handshake is disconnected after 5 s', async () => {
    const response = await readUntilClosed(await dial(home.access(null)))
    expect([0, 408]).toContain(statusOf(response))
  })

  test('in its body gets 408 after 10 s', async () => {
    const response = await drip(
      `POST /v1/explain HTTP/1.1\r\n${signed()}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      ' ',
    )
    expect(statusOf(response)).toBe(408)
    expect(response).toContain('{"error":{"code":"validation","message":"The request took too long to arrive."}}')
  })

  test('does not delay other clients', async () => {
    await Promise.all(
      Array.from({ length: 100 }, () =>
        once(
          // Another address is used, because the oldest connections of an address make room beyond its share.
          connect({ port: running.gateway.port, host: '127.0.0.1', localAddress: '127.0.0.7' }).on('error', () => {}),
          'connect',
        ),
      ),
    )
    expect(await home.get('/v1/integration')).toMatchObject({ integration: { settings: EVERYTHING_ALLOWED } })
  })
})
