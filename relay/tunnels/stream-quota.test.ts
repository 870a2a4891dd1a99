import { EventEmitter } from 'node:events'
import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { PEER_HEADER } from '@hm-gateway/wire/tunnel.ts'
import { ADMITTED_MAX, StreamQuota, AUTHENTICATED_AFTER_MS } from './stream-quota.ts'

/** A stream that responds, closes or is reset. */
class Stream extends EventEmitter {
  rstCode = 0

  respond(status: number): this {
    this.emit('response', { ':status': status })
    return this
  }

  end(): void {
    this.emit('close')
  }

  destroy(): void {}

  /** Called when the quota evicts the stream. */
  close(code: number): void {
    this.rstCode = code
    this.end()
  }
}

const LIMITS = { streams: 6, strangers: 2, endToEnd: 2, unauthenticated: 2 }

function quotaWith(limits = LIMITS) {
  const clock = new ManualClock()
  const quota = new StreamQuota(limits, clock)
  const open = (headers: OutgoingHttpHeaders): Stream => {
    const stream = new Stream()
    quota.add(stream as unknown as ClientHttp2Stream, headers)
    return stream
  }
  return { clock, quota, open }
}

const by = (token: string, authority = 'api'): OutgoingHttpHeaders => ({
  ':authority': authority,
  authorization: `Bearer ${token}`,
})
/** An end-to-end connection of a client at this address. */
const from = (peer: string): OutgoingHttpHeaders => ({ ':authority': 'tls', [PEER_HEADER]: peer })

const PAIRING = { ':authority': 'api' }
const CONNECTION = { ':authority': 'tls' }

proves('relay.strangers-places', 'strangers exhaust only their own quota, not that of an admitted credential', () => {
  const { quota, open } = quotaWith()
  open(by('owner')).respond(200).end()
  const refused = open(by('stranger', 'mcp'))
  open(PAIRING)
  expect([by('another'), PAIRING, by('owner')].map((headers) => quota.makeRoom(headers))).toEqual([
    'strangers',
    'strangers',
    null,
  ])
  refused.respond(401).end()
  expect(quota.makeRoom(by('another'))).toBeNull()
})

proves('relay.strangers-places', 'a stream no longer counts as a stranger’s once the home admits it', () => {
  const { quota, open } = quotaWith()
  const sockets = [open(by('owner')), open(by('other'))]
  expect(quota.makeRoom(by('stranger'))).toBe('strangers')
  for (const socket of sockets) socket.respond(200)
  expect(quota.makeRoom(by('stranger'))).toBeNull()
  for (const socket of sockets) socket.end()
  expect(quota.streams.size).toBe(0)
  for (const token of ['one', 'two']) open(by(token))
  expect(quota.makeRoom(by('three'))).toBe('strangers')
})

proves('relay.strangers-places', 'a credential that the home later refuses counts as a stranger’s again', () => {
  const { quota, open } = quotaWith()
  for (const status of [304, 403]) open(by('owner')).respond(status).end()
  for (const token of ['one', 'two']) open(by(token))
  expect(quota.makeRoom(by('owner'))).toBeNull()
  open(by('owner')).respond(401).end()
  expect(quota.makeRoom(by('owner'))).toBe('strangers')
})

proves(
  'relay.strangers-places',
  'end-to-end connections have their own limit, and all streams together have one',
  () => {
    const { quota, open } = quotaWith()
    for (let count = 0; count < LIMITS.endToEnd; count += 1) open(CONNECTION)
    expect([CONNECTION, by('stranger')].map((headers) => quota.makeRoom(headers))).toEqual(['end_to_end', null])
    while (quota.streams.size < LIMITS.streams) open({ ':authority': 'control' })
    expect(quota.makeRoom({ ':authority': 'control' })).toBe('all')
  },
)

proves('relay.strangers-places', 'the oldest admitted credential is forgotten beyond the limit', () => {
  const { quota, open } = quotaWith()
  for (let count = 0; count <= ADMITTED_MAX; count += 1)
    open(by(String(count)))
      .respond(200)
      .end()
  for (const token of ['one', 'two']) open(by(token))
  expect([by('0'), by('1')].map((headers) => quota.makeRoom(headers))).toEqual(['strangers', null])
})

proves('relay.fair-places', 'the address with the most connections loses one, and a /48 counts as one address', () => {
  const { quota, open } = quotaWith({ streams: 20, strangers: 4, endToEnd: 8, unauthenticated: 4 })
  const streams = ['192.0.2.1', '2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1'].map((peer) => open(from(peer)))
  expect(quota.makeRoom(from('2001:db8:1:4::1'))).toBe('end_to_end')
  expect(quota.makeRoom(from('203.0.113.1'))).toBeNull()
  expect(streams.map(({ rstCode }) => rstCode)).toEqual([0, constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, 0])
  open(from('203.0.113.1'))
  // The /48 still has two: 203.0.113.1 would have as many with one more.
  expect(quota.makeRoom(from('203.0.113.1'))).toBe('end_to_end')
})

proves(
  'relay.fair-places',
  'strangers’ requests are evicted the same way, and for an admitted credential when the session is full',
  () => {
    const { quota, open } = quotaWith({ streams: 6, strangers: 4, endToEnd: 4, unauthenticated: 4 })
    open({ ...by('owner'), [PEER_HEADER]: '203.0.113.1' }).respond(200)
    const strangers = Array.from({ length: 4 }, (_, index) =>
      open({ ...by(`stranger ${index}`), [PEER_HEADER]: '192.0.2.1' }),
    )
    expect(quota.makeRoom({ ...by('new'), [PEER_HEADER]: '192.0.2.2' })).toBeNull()
    expect(strangers.map(({ rstCode }) => rstCode === 0)).toEqual([false, true, true, true])
    open({ ...by('new'), [PEER_HEADER]: '192.0.2.2' })
    open(from('192.0.2.3'))
    expect(quota.makeRoom(from('192.0.2.4'))).toBe('all')
    expect(quota.makeRoom(by('owner'))).toBeNull()
    expect(strangers.map(({ rstCode }) => rstCode === 0)).toEqual([false, false, true, true])
  },
)

proves('end-to-end.strangers', 'a connection that is old enough to be authenticated is not evicted', () => {
  const { clock, quota, open } = quotaWith({ streams: 20, strangers: 4, endToEnd: 4, unauthenticated: 2 })
  const old = [open(from('192.0.2.1')), open(from('192.0.2.1'))]
  clock.advance(AUTHENTICATED_AFTER_MS)
  const young = [open(from('192.0.2.2')), open(from('192.0.2.2'))]
  expect(quota.makeRoom(from('192.0.2.3'))).toBeNull()
  expect([...old, ...young].map(({ rstCode }) => rstCode === 0)).toEqual([true, true, false, true])
  old[0]?.end()
  expect(clock.waiting).toBe(1)
})
