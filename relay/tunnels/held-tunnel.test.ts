import { once } from 'node:events'
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import { duplexPair } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { STREAMS_MAX, STREAMS_OF_CREDENTIAL_MAX } from '@hm-gateway/wire/tunnel.ts'
import { HeldTunnel } from './held-tunnel.ts'

test('one that has had as many streams as it may says so once, and takes more until another is there', async () => {
  const [near, far] = duplexPair()
  const gateway = performServerHandshake(far)
  gateway.on('error', () => {}).on('stream', (stream) => stream.on('error', () => {}).respond({}, { endStream: true }))
  let worn = 0
  const tunnel = new HeldTunnel({
    socket: near as TLSSocket,
    clock: new ManualClock(),
    log: silentLog,
    closed: () => gateway.destroy(),
    worn: () => (worn += 1),
    bounds: {
      streamsInAll: 2,
      places: { streams: 8, strangers: 8, endToEnd: 8, unproved: 8 },
      memoryMib: 1,
      windowBytes: 65_536,
    },
  })
  onTestFinished(() => tunnel.destroy())
  const request = { ':method': 'GET', ':authority': 'api', ':path': '/v1/house' }
  const told = [1, 2, 3].map(() => [typeof tunnel.open(request, true), worn])
  expect(told).toEqual([
    ['object', 0],
    ['object', 1],
    ['object', 1],
  ])
})

test('the streams of one credential leave room for those of others, and for its own once they end', async () => {
  const [near, far] = duplexPair()
  const taken: ServerHttp2Stream[] = []
  const gateway = performServerHandshake(far, { settings: { maxConcurrentStreams: STREAMS_MAX } })
  gateway.on('error', () => {}).on('stream', (stream) => taken.push(stream.on('error', () => {})))
  const tunnel = new HeldTunnel({
    // All but its keying material, which nobody asks for here, is that of any stream of bytes.
    socket: near as TLSSocket,
    clock: new ManualClock(),
    log: silentLog,
    closed: () => gateway.destroy(),
    worn: () => {},
  })
  onTestFinished(() => tunnel.destroy())
  const open = (credential: string) =>
    tunnel.open({ ':method': 'GET', ':authority': 'api', ':path': '/v1/house', authorization: credential }, true)
  const streams = Array.from({ length: STREAMS_OF_CREDENTIAL_MAX }, () => open('Bearer one'))
  expect(streams.filter((stream) => typeof stream === 'string')).toEqual([])
  expect(open('Bearer one')).toBe('busy')
  expect(open('Bearer another')).not.toBe('busy')
  const [first] = streams
  if (first === undefined || typeof first === 'string') throw new Error('It was not opened.')
  first.close()
  await once(first, 'close')
  expect(open('Bearer one')).not.toBe('busy')
  expect(open('Bearer one')).toBe('busy')
})
