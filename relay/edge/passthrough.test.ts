import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  performServerHandshake,
  type ServerHttp2Stream,
} from 'node:http2'
import { connect, createServer, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import type { Server } from 'node:https'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordingLog } from '#support/recording-log.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import type { Directory } from '../tunnels/directory.ts'
import { routeByServerName, CLIENT_HELLO_TIMEOUT_MS } from './server-name-routing.ts'
import { Limits } from './limits.ts'
import { Passthrough, PASSTHROUGH_IDLE_MS, PASSTHROUGH_OPEN_TIMEOUT_MS } from './passthrough.ts'

const GATEWAY = '0123456789ab'

/** A ClientHello that names a server and offers nothing. */
function helloFor(name: string): Buffer {
  const vector = (lengthBytes: number, bytes: Buffer): Buffer => {
    const length = Buffer.alloc(lengthBytes)
    length.writeUIntBE(bytes.length, 0, lengthBytes)
    return Buffer.concat([length, bytes])
  }
  const serverName = vector(2, Buffer.concat([Buffer.from([0]), vector(2, Buffer.from(name))]))
  const extensions = vector(2, Buffer.concat([Buffer.from([0, 0]), vector(2, serverName)]))
  const fixed = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32), Buffer.from([0, 0, 2, 19, 1, 1, 0])])
  const message = Buffer.concat([Buffer.from([1]), vector(3, Buffer.concat([fixed, extensions]))])
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(2, message)])
}

const HELLO = helloFor(`hm-${GATEWAY}.local`)

/** The relay's port before TLS, with a gateway that handles each connection by `gateway`. */
async function port(gateway: (stream: ServerHttp2Stream) => void, { isFirstGone = false } = {}) {
  const clock = new ManualClock()
  const session = tunnelTo(gateway)
  const directory: Directory = {
    find: (serial, exceptNode = null) => {
      if (serial !== GATEWAY) return null
      if (isFirstGone && exceptNode === null) return { node: 'ending', open: () => 'gone' }
      return {
        node: 'here',
        open: (headers, end) => session.request(headers, { endStream: end }).on('error', () => {}),
      }
    },
  }
  const many = { perSecond: 1e6, burst: 1e6 }
  const limits = new Limits(clock, { ofAddress: many, ofHome: many, ofStrangers: many })
  const log = recordingLog()
  const passthrough = new Passthrough({ directory, limits, clock, random: systemRandom, log })
  onTestFinished(() => passthrough.stop())
  const ownConnections: Socket[] = []
  const server = createServer((socket) => ownConnections.push(socket.on('error', () => {})))
  routeByServerName(server as Server, passthrough, clock)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const to = { host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 }
  const dial = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ ...to, localAddress }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { clock, dial, ownConnections, log }
}

function tunnelTo(gateway: (stream: ServerHttp2Stream) => void): ClientHttp2Session {
  const [left, right] = duplexPair()
  const end = performServerHandshake(right, { settings: { maxConcurrentStreams: 256 } })
  end.on('error', () => {})
  end.on('stream', (stream) => gateway(stream.on('error', () => {})))
  const session = connectHttp2('https://gateway', { createConnection: () => left }).on('error', () => {})
  onTestFinished(() => {
    session.destroy()
    end.destroy()
  })
  return session
}

const echoing = (stream: ServerHttp2Stream): void => {
  stream.respond({ ':status': 200 })
  stream.pipe(stream)
}

/** All received bytes in hex, once the connection has ended. */
async function receivedHex(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.destroyed) await once(socket, 'close')
  return Buffer.concat(chunks).toString('hex')
}

/** Waits for at least this many bytes. */
async function receive(socket: Socket, bytes: number): Promise<Buffer> {
  let all = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    all = Buffer.concat([all, chunk])
    if (all.length >= bytes) break
  }
  return all
}

const UNRECOGNIZED_NAME = '15030300020270'
const INTERNAL_ERROR = '15030300020250'

describe('a connection that names a gateway', () => {
  test('reaches the gateway with all bytes, in any fragments, and is logged', async () => {
    const { dial, log } = await port(echoing)
    const socket = await dial()
    socket.setNoDelay(true)
    for (const byte of HELLO) {
      socket.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
    socket.write('and more')
    const all = Buffer.concat([HELLO, Buffer.from('and more')])
    expect((await receive(socket, all.length)).equals(all)).toBe(true)
    const logged = log.logged('An end-to-end connection ended.')
    socket.end()
    await once(socket, 'close')
    await logged
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ serial: GATEWAY, taken: true, ms: 0 }])
  })

  test('uses another tunnel if the first has closed', async () => {
    const { dial } = await port(echoing, { isFirstGone: true })
    const socket = await dial()
    socket.write(HELLO)
    expect((await receive(socket, HELLO.length)).equals(HELLO)).toBe(true)
  })

  test('ends with an alert if no gateway accepts it', async () => {
    const { dial } = await port((stream) => stream.close())
    const refused = await dial()
    refused.write(HELLO)
    expect(await receivedHex(refused)).toBe(UNRECOGNIZED_NAME)
    const unknown = await dial()
    unknown.write(helloFor('hm-zzzzzzzzzzzz'))
    expect(await receivedHex(unknown)).toBe(UNRECOGNIZED_NAME)
  })

  test('ends with another alert if the tunnel has no room for it', async () => {
    const { dial } = await port((stream) => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM))
    const refused = await dial()
    refused.write(HELLO)
    expect(await receivedHex(refused)).toBe(INTERNAL_ERROR)
  })

  test('is closed when it is idle for long, or the gateway does not accept it in time', async () => {
    let isAccepting = true
    const requested = Promise.withResolvers<void>()
    const { dial, clock } = await port((stream) => {
      if (isAccepting) echoing(stream)
      else requested.resolve()
    })
    const [idle, busy] = [await dial(), await dial()]
    for (const socket of [idle, busy]) {
      socket.write(HELLO)
      await receive(socket, HELLO.length)
    }
    clock.advance(PASSTHROUGH_IDLE_MS - 10_000)
    busy.write('still here')
    await receive(busy, 10)
    clock.advance(15_000)
    await once(idle, 'close')
    expect(busy.destroyed).toBe(false)
    isAccepting = false
    const waiting = await dial()
    waiting.write(HELLO)
    await requested.promise
    clock.advance(PASSTHROUGH_OPEN_TIMEOUT_MS)
    expect(await receivedHex(waiting)).toBe(UNRECOGNIZED_NAME)
  })
})

describe('a connection that names no gateway', () => {
  test('reaches the relay itself with all bytes', async () => {
    const { dial, ownConnections } = await port(echoing)
    const hello = helloFor('relay.example')
    const socket = await dial()
    socket.write(hello.subarray(0, 20))
    await new Promise(setImmediate)
    socket.write(hello.subarray(20))
    while (ownConnections.length === 0) await new Promise(setImmediate)
    expect((await receive(ownConnections[0]!, hello.length)).equals(hello)).toBe(true)
  })

  test('is closed if it is not TLS, or stays silent for long', async () => {
    const { dial, ownConnections, clock } = await port(echoing)
    const plain = await dial()
    plain.write('GET / HTTP/1.1\r\n\r\n')
    expect(await receivedHex(plain)).toBe('')
    const [silent, slow] = [await dial(), await dial()]
    slow.write(HELLO.subarray(0, 30))
    const probe = await dial()
    probe.write(HELLO)
    await receive(probe, HELLO.length)
    clock.advance(CLIENT_HELLO_TIMEOUT_MS)
    expect([await receivedHex(silent), await receivedHex(slow), ownConnections.length]).toEqual(['', '', 0])
    expect(probe.destroyed).toBe(false)
  })
})
