// @module-tag repeated
import { connect as http2 } from 'node:http2'
import { connect, type TLSSocket } from 'node:tls'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TUNNEL_PROTOCOL } from '../../src/wire/tunnel.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'
import { conversation, hostile } from '#support/relay/hostile-bytes.ts'
import { hostileRelay } from '#support/relay/hostile-relay.ts'
import { proves } from '#support/gateway/verifies.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { times } from '#support/long.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }

/** Sends the bytes and reads until the other end closes the connection or stays silent for a while. */
function sendBytes(socket: TLSSocket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.once('close', () => resolve())
    socket.resume()
    socket.end(bytes)
  })
}

describe('hostile bytes', () => {
  test('from a gateway: the relay works', async () => {
    const { relay, through } = await relayedHome()
    const { ofGateway } = await conversation()
    const dialled = (): Promise<TLSSocket> =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port: relay.relay.port, ca: relay.ca, ALPNProtocols: [TUNNEL_PROTOCOL] }
        const socket: TLSSocket = connect(options, () => resolve(socket)).once('error', reject)
      })
    await fc.assert(
      fc.asyncProperty(hostile(ofGateway), async (bytes) => sendBytes(await dialled(), bytes)),
      { numRuns: times(5, 2_000) },
    )
    expect((await through.call(HOUSE)).status).toBe(200)
  })

  proves(
    'end-to-end.no-name',
    'a relay that the home is not linked at does not learn its name',
    { tags: ['long'] },
    async () => {
      const home = await TestHome.open('http')
      onTestFinished(() => home[Symbol.asyncDispose]())
      const answered = Promise.withResolvers<unknown>()
      const { port, fingerprint } = await hostileRelay((socket) => {
        const session = http2('https://localhost', { createConnection: () => socket })
        onTestFinished(() => session.destroy())
        session.on('error', () => {})
        session
          .request({ ':path': '/label', ':authority': 'control' })
          .on('error', () => {})
          .once('response', (headers) => answered.resolve(headers[':status']))
      })
      const url = `https://localhost:${port}`
      const connected = home.running.hasten(home.running.admin.call('POST', '/relay', { url, fingerprint }))
      expect(await answered.promise).toBe(404)
      await connected
    },
  )

  test('from a relay: the gateway works', { tags: ['long'] }, async () => {
    const home = await TestHome.open('http')
    onTestFinished(() => home[Symbol.asyncDispose]())
    const { ofRelay } = await conversation()
    const samples = fc.sample(hostile(ofRelay), times(12, 500))
    const allSent = Promise.withResolvers<void>()
    const { port, fingerprint } = await hostileRelay((socket) => {
      const bytes = samples.pop()
      if (bytes === undefined) allSent.resolve()
      void sendBytes(socket, bytes ?? Buffer.alloc(0))
    })
    await home.running.hasten(
      home.running.admin.call('POST', '/relay', { url: `https://localhost:${port}`, fingerprint }),
    )
    await home.running.hasten(allSent.promise)
    expect((await home.call(HOUSE)).status).toBe(200)
  })
})
