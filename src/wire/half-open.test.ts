import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { abandon, boundHalfOpen, closeOnceSent } from './half-open.ts'
import { HALF_OPEN_MS, STREAM_WINDOW_BYTES } from './tunnel.ts'

const POST = { ':method': 'POST', ':path': '/' }
const MORE_THAN_A_WINDOW = Buffer.alloc(4 * STREAM_WINDOW_BYTES)

/** An HTTP/2 session. Its server passes every stream to `take`. */
async function session(take: (stream: ServerHttp2Stream) => void): Promise<ClientHttp2Session> {
  const server = createServer().on('stream', (stream) => {
    stream.on('error', () => {})
    take(stream)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return client
}

/** Answers an incomplete request at once and closes the stream. */
function answer(stream: ServerHttp2Stream): void {
  closeOnceSent(stream)
  stream.respond()
  stream.end('the answer')
}

/** A request that stays incomplete, after its answer came and the server closed the stream. */
async function closedByServer(client: ClientHttp2Session): Promise<ClientHttp2Stream> {
  const stream = client.request(POST)
  stream.on('error', () => {})
  boundHalfOpen(stream, new ManualClock(0))
  stream.write(MORE_THAN_A_WINDOW)
  await until(() => stream.closed)
  return stream
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

describe('a stream whose answer was sent', () => {
  test('closes although its reader has left bytes unread', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const client = await session((stream) => {
      resolve(once(stream, 'close'))
      closeOnceSent(stream)
      const reader = stream.pipe(new PassThrough())
      stream.once('data', () => reader.destroy())
      reader.once('unpipe', () => {
        stream.respond()
        void until(() => stream.readableLength > 0).then(() => stream.end('the answer'))
      })
    })
    const stream = client.request(POST)
    stream.resume().write('first')
    stream.once('response', () => stream.write('the rest'))
    await Promise.all([promise, once(stream, 'close')])
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
  })

  test('closes at the client once it is read, although a part of the request could never be sent', async () => {
    const stream = await closedByServer(await session(answer))
    await once(stream.resume(), 'close')
    expect(stream.readableEnded).toBe(true)
  })

  test('is ended by the client in time if the server keeps it open', async () => {
    const clock = new ManualClock(0)
    const client = await session((stream) => {
      stream.respond()
      stream.end('the answer')
    })
    const stream = client.request(POST)
    boundHalfOpen(stream, clock)
    stream.resume().write('a part')
    await once(stream, 'end')
    clock.advance(HALF_OPEN_MS)
    await once(stream, 'close')
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  })
})

describe('an abandoned stream', () => {
  test('closes at both ends with bytes that the client does not read', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const client = await session((stream) => {
      resolve(once(stream, 'close'))
      stream.respond()
      stream.write(MORE_THAN_A_WINDOW)
    })
    const stream = client.request(POST)
    await once(stream, 'readable')
    abandon(stream)
    abandon(stream)
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
    await Promise.all([promise, once(stream, 'close')])
  })

  test('closes although the server has closed it before and its answer is not read', async () => {
    const stream = await closedByServer(await session(answer))
    abandon(stream)
    await once(stream, 'close')
    expect(stream.readableEnded).toBe(false)
  })
})
