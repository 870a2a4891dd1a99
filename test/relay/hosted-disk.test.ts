import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { expect, onTestFinished } from 'vitest'
import { controlStreams } from '../../src/tunnel/control-streams.ts'
import { hostedControl } from '../../src/tunnel/hosted-control.ts'
import { proves } from '#support/gateway/verifies.ts'
import { AccessHome } from '#support/homes/access-home.ts'
import { acceptedRequest, CLAUDE } from '#support/homes/hosted-agents.ts'

/** Sends a request over a control stream of this home. */
async function sendControl(home: AccessHome, path: string, body: object): Promise<{ status: number; body: unknown }> {
  const events = {
    onHello: () => {},
    onWelcome: () => {},
    onLinkCode: () => {},
    onDrain: () => {},
    onNotices: () => {},
    onReplaced: () => {},
    houseName: () => 'Home',
  }
  const control = controlStreams({
    hosted: hostedControl(home.hosted),
    isLinked: () => true,
    passthrough: () => 'off',
    identity: { publicKey: '', sign: (bytes) => bytes },
    socket: TLSSocket.prototype,
    greeting: { serial: 'abcdefghjkmn', slot: 0, epoch: 0, passthrough: 'off', wants: null },
    events,
  })
  const server = createServer()
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    control(stream, headers)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const stream = session.request({ ':method': 'POST', ':path': path })
  let [status, text] = [0, '']
  stream.on('error', () => {})
  stream.on('response', (headers) => (status = headers[':status'] ?? 0))
  stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  stream.end(JSON.stringify(body))
  await new Promise((resolve) => {
    stream.once('close', resolve)
  })
  return { status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}

proves(
  'relay.full-disk',
  'tokens that the disk cannot store now are refused over the tunnel, and minted once it can',
  async () => {
    using home = new AccessHome()
    home.integrate()
    const redemption = acceptedRequest(home, { client: CLAUDE })
    home.core.db.pragma('query_only = ON')
    expect(await sendControl(home, '/tokens', redemption)).toMatchObject({
      status: 503,
      body: { error: { code: 'storage_unavailable', retryAfter: 30 } },
    })
    home.core.db.pragma('query_only = OFF')
    expect(await sendControl(home, '/tokens', redemption)).toMatchObject({ status: 200, body: { door: 'mcp' } })
  },
)
