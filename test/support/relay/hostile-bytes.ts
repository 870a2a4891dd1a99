import { connect, constants, type OutgoingHttpHeaders, performServerHandshake } from 'node:http2'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import * as fc from 'fast-check'
import { helloOf } from '#support/relay/client-hello.ts'

/** Bytes of both ends of a tunnel during authentication and requests of all kinds. */
export interface Conversation {
  readonly ofRelay: readonly Buffer[]
  readonly ofGateway: readonly Buffer[]
}

/** Records an HTTP/2 conversation of a tunnel without a network. */
export async function conversation(): Promise<Conversation> {
  const [left, right] = duplexPair()
  const [ofRelay, ofGateway]: [Buffer[], Buffer[]] = [[], []]
  right.on('data', (chunk: Buffer) => ofRelay.push(Buffer.from(chunk)))
  left.on('data', (chunk: Buffer) => ofGateway.push(Buffer.from(chunk)))
  const server = performServerHandshake(right, { settings: { enableConnectProtocol: true } })
  server.on('error', () => {})
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-length': '2' })
    stream.end('{}')
  })
  const client = connect('https://gateway', { createConnection: () => left })
  client.on('error', () => {})
  await new Promise((resolve) => {
    client.once('remoteSettings', resolve)
  })
  const send = async (headers: OutgoingHttpHeaders, body: Buffer | string): Promise<void> => {
    const stream = client.request(headers, { endStream: false })
    stream.end(body)
    await text(stream)
    stream.close(constants.NGHTTP2_CANCEL)
  }
  const control = { ':authority': 'control', ':method': 'POST' }
  const hello = { nonce: 'A'.repeat(43), node: 'n', nodes: 1, origin: 'https://localhost' }
  await send({ ...control, ':path': '/hello' }, JSON.stringify(hello))
  const welcome = { linked: true, accounts: ['olga@example.org'], retryAfter: null }
  await send({ ...control, ':path': '/welcome' }, JSON.stringify(welcome))
  let requests = 0
  const peer = (): OutgoingHttpHeaders => ({
    'hm-peer': '192.0.2.7',
    'hm-request': String((requests += 1)).padStart(32, '0'),
    authorization: 'Bearer nothing',
    'content-type': 'application/json',
  })
  await text(client.request({ ':authority': 'api', ':method': 'GET', ':path': '/v1/house', ...peer() }))
  await send({ ':authority': 'mcp', ':method': 'POST', ':path': '/mcp', ...peer() }, '{"jsonrpc":"2.0"}')
  await send({ ':authority': 'tls', ':method': 'CONNECT', ...peer() }, await helloOf({ servername: 'localhost' }))
  const stream = { ':authority': 'api', ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/v1/stream' }
  await send({ ...stream, ...peer() }, Buffer.from([0x81, 0x82, 1, 2, 3, 4, 5, 6]))
  client.destroy()
  server.destroy()
  return { ofRelay, ofGateway }
}

/** One mutation of the bytes: flipped, cut off, repeated or invented. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 200 }) }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: fc.nat(),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
  }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Bytes of a hostile end: few mutations, so that most of them are understood. */
export function hostile(written: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const whole = Buffer.concat(written)
  return fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => changes.reduce(changed, whole))
}

function changed(bytes: Buffer, made: Change): Buffer {
  const at = bytes.length === 0 ? 0 : made.at % bytes.length
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (made.kind) {
    case 'flip':
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ made.by]), after.subarray(1)])
    case 'cut':
      return before
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, made.length), after])
    case 'insert':
      return Buffer.concat([before, made.bytes, after])
  }
}
