import { connect as connectHttp2, constants } from 'node:http2'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { OPENING_MS } from '@hm-gateway/wire/tunnel.ts'
import { LocalDirectory } from '../tunnels/directory.ts'
import { type InnerIdentity, innerIdentity } from './inner-identity.ts'
import { CONNECTIONS_OF_ADDRESS_MAX, InnerServer } from './inner-server.ts'
import { type Holder, SECRET_HEADER } from './node-messages.ts'
import { Peers } from './peers.ts'

interface World {
  readonly clock: ManualClock
  readonly identity: InnerIdentity
  readonly server: InnerServer
  readonly holder: Holder
  readonly peers: Peers
}

const REQUEST = { ':method': 'GET', ':path': '/v1/house', ':authority': 'api', ':scheme': 'https' }

async function world(): Promise<World> {
  const clock = new ManualClock(Date.now())
  const identity = innerIdentity(clock, systemRandom)
  const address = { host: '127.0.0.1', port: 0 }
  const server = await InnerServer.open({ address, identity, local: new LocalDirectory(), clock, log: silentLog })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const peers = new Peers(clock, silentLog)
  onTestFinished(() => peers[Symbol.dispose]())
  const { spki, secret } = identity
  return {
    clock,
    identity,
    server,
    peers,
    holder: { node: 'other', host: '127.0.0.1', port: server.port, spki, secret },
  }
}

/** Opens a TLS connection to the port for nodes, without a secret. */
async function stranger({ server }: World, localAddress = '127.0.0.1'): Promise<TLSSocket> {
  const to = { host: '127.0.0.1', port: server.port, localAddress }
  const socket = connect({ ...to, ALPNProtocols: ['h2'], rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await new Promise((resolve) => {
    socket.once('secureConnect', resolve).once('close', resolve)
  })
  return socket
}

const closed = (socket: TLSSocket): Promise<unknown> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve(null)
    socket.once('close', resolve)
  })

/** Opens a stream that gets no response, and returns its reset code. */
async function endOf(peers: Peers, holder: Holder): Promise<number | undefined> {
  const tunnel = await peers.tunnelAt('abcdefghjkmn', holder)
  const stream = tunnel?.open(REQUEST, true)
  if (stream === undefined || typeof stream === 'string') throw new Error('no stream')
  await new Promise((resolve) => {
    stream.once('close', resolve)
  })
  return stream.rstCode
}

describe('the port for other nodes', () => {
  test('refuses a stream for a gateway without a tunnel here, so that the request may be repeated', async () => {
    const { peers, holder } = await world()
    expect(await endOf(peers, holder)).toBe(constants.NGHTTP2_REFUSED_STREAM)
  })

  proves(
    'relay.known-nodes',
    'a node does not connect to another whose key differs from the announced one',
    async () => {
      const made = await world()
      const { spki } = innerIdentity(made.clock, systemRandom)
      expect(await made.peers.tunnelAt('abcdefghjkmn', { ...made.holder, spki })).toBeNull()
    },
  )

  proves(
    'relay.known-nodes',
    'a client with a wrong secret is disconnected immediately, and other nodes are served',
    async () => {
      const made = await world()
      const { secret } = innerIdentity(made.clock, systemRandom)
      const wrong = new Peers(made.clock, silentLog)
      onTestFinished(() => wrong[Symbol.dispose]())
      expect(await endOf(wrong, { ...made.holder, secret })).not.toBe(constants.NGHTTP2_REFUSED_STREAM)
      const socket = await stranger(made)
      const session = connectHttp2('https://node', { createConnection: () => socket })
      session.on('error', () => {})
      const request = session.request({ ...REQUEST, [SECRET_HEADER]: '' })
      request.on('error', () => {})
      await closed(socket)
      expect(await endOf(made.peers, made.holder)).toBe(constants.NGHTTP2_REFUSED_STREAM)
    },
  )

  proves(
    'relay.known-nodes',
    'a silent client is disconnected after a while, and hostile bytes end only their own connection',
    async () => {
      const made = await world()
      const silent = await stranger(made)
      const session = connectHttp2('https://node', { createConnection: () => silent })
      session.on('error', () => {})
      await new Promise((resolve) => {
        session.once('remoteSettings', resolve)
      })
      made.clock.advance(OPENING_MS)
      await closed(silent)
      const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
      for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\0'.repeat(70_000), `${preface}${'\xff'.repeat(100)}`]) {
        const socket = await stranger(made)
        socket.resume().write(Buffer.from(bytes, 'latin1'))
        await closed(socket)
      }
      expect(await endOf(made.peers, made.holder)).toBe(constants.NGHTTP2_REFUSED_STREAM)
    },
  )

  proves('relay.known-nodes', 'clients at one address leave room for nodes at others', async () => {
    const made = await world()
    for (let count = 0; count < CONNECTIONS_OF_ADDRESS_MAX; count += 1) await stranger(made, '127.0.0.2')
    await closed(await stranger(made, '127.0.0.2'))
    expect(await endOf(made.peers, made.holder)).toBe(constants.NGHTTP2_REFUSED_STREAM)
  })

  test('a stopped node cannot be reached', async () => {
    const made = await world()
    expect(await endOf(made.peers, made.holder)).toBe(constants.NGHTTP2_REFUSED_STREAM)
    const tunnel = await made.peers.tunnelAt('abcdefghjkmn', made.holder)
    await made.server[Symbol.asyncDispose]()
    while (tunnel?.open(REQUEST, true) !== 'gone') await new Promise(setImmediate)
    expect(await made.peers.tunnelAt('abcdefghjkmn', made.holder)).toBeNull()
  })
})
