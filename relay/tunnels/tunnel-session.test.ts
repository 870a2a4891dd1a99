import { once } from 'node:events'
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import { duplexPair } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { STREAMS_MAX, STREAMS_OF_CREDENTIAL_MAX } from '@hm-gateway/wire/tunnel.ts'
import { TunnelSession } from './tunnel-session.ts'

test('a session reports once that its stream ids run out, and still opens streams', async () => {
  const [near, far] = duplexPair()
  const gateway = performServerHandshake(far)
  gateway.on('error', () => {}).on('stream', (stream) => stream.on('error', () => {}).respond({}, { endStream: true }))
  let exhausted = 0
  const tunnel = new TunnelSession({
    socket: near as TLSSocket,
    clock: new ManualClock(),
    log: silentLog,
    onClose: () => gateway.destroy(),
    onExhausted: () => (exhausted += 1),
    limits: {
      streamsInAll: 2,
      concurrent: { streams: 8, strangers: 8, endToEnd: 8, unauthenticated: 8 },
      memoryMib: 1,
      windowBytes: 65_536,
    },
  })
  onTestFinished(() => tunnel.destroy())
  const request = { ':method': 'GET', ':authority': 'api', ':path': '/v1/house' }
  const reports = [1, 2, 3].map(() => [typeof tunnel.open(request, true), exhausted])
  expect(reports).toEqual([
    ['object', 0],
    ['object', 1],
    ['object', 1],
  ])
})

test('a credential at its limit does not block others, and may open a stream once one of its own ends', async () => {
  const [near, far] = duplexPair()
  const streamsAtGateway: ServerHttp2Stream[] = []
  const gateway = performServerHandshake(far, { settings: { maxConcurrentStreams: STREAMS_MAX } })
  gateway.on('error', () => {}).on('stream', (stream) => streamsAtGateway.push(stream.on('error', () => {})))
  const tunnel = new TunnelSession({
    // The test needs no keying material, so any duplex stream does.
    socket: near as TLSSocket,
    clock: new ManualClock(),
    log: silentLog,
    onClose: () => gateway.destroy(),
    onExhausted: () => {},
  })
  onTestFinished(() => tunnel.destroy())
  const open = (credential: string) =>
    tunnel.open({ ':method': 'GET', ':authority': 'api', ':path': '/v1/house', authorization: credential }, true)
  const streams = Array.from({ length: STREAMS_OF_CREDENTIAL_MAX }, () => open('Bearer one'))
  expect(streams.filter((stream) => typeof stream === 'string')).toEqual([])
  expect(open('Bearer one')).toBe('busy')
  expect(open('Bearer another')).not.toBe('busy')
  const [first] = streams
  if (first === undefined || typeof first === 'string') throw new Error('The first stream was not opened.')
  first.close()
  await once(first, 'close')
  expect(open('Bearer one')).not.toBe('busy')
  expect(open('Bearer one')).toBe('busy')
})
