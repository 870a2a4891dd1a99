import { EventEmitter } from 'node:events'
import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { PEER_HEADER } from '@hm-gateway/wire/tunnel.ts'
import { ADMITTED_MAX, Places, PROVED_AFTER_MS } from './places.ts'

/** A stream as far as it is counted: it has an answer, and ends or is ended. */
class Stream extends EventEmitter {
  rstCode = 0

  answer(status: number): this {
    this.emit('response', { ':status': status })
    return this
  }

  end(): void {
    this.emit('close')
  }

  destroy(): void {}

  /** As the places end it. */
  close(code: number): void {
    this.rstCode = code
    this.end()
  }
}

const BOUNDS = { streams: 6, strangers: 2, endToEnd: 2, unproved: 2 }

function placesOf(bounds = BOUNDS) {
  const clock = new ManualClock()
  const places = new Places(bounds, clock)
  const enter = (headers: OutgoingHttpHeaders): Stream => {
    const stream = new Stream()
    places.enter(stream as unknown as ClientHttp2Stream, headers)
    return stream
  }
  return { clock, places, enter }
}

const by = (token: string, authority = 'api'): OutgoingHttpHeaders => ({
  ':authority': authority,
  authorization: `Bearer ${token}`,
})
/** A connection of a client at this address. */
const from = (peer: string): OutgoingHttpHeaders => ({ ':authority': 'tls', [PEER_HEADER]: peer })

const PAIRING = { ':authority': 'api' }
const CONNECTION = { ':authority': 'tls' }

proves('relay.strangers-places', 'strangers take their own places, and none of an admitted credential', () => {
  const { places, enter } = placesOf()
  enter(by('owner')).answer(200).end()
  const refused = enter(by('stranger', 'mcp'))
  enter(PAIRING)
  expect([by('another'), PAIRING, by('owner')].map((headers) => places.makeRoom(headers))).toEqual([
    'strangers',
    'strangers',
    null,
  ])
  refused.answer(401).end()
  expect(places.makeRoom(by('another'))).toBeNull()
})

proves('relay.strangers-places', 'a stream leaves the places of strangers as soon as the home admits it', () => {
  const { places, enter } = placesOf()
  const sockets = [enter(by('owner')), enter(by('other'))]
  expect(places.makeRoom(by('stranger'))).toBe('strangers')
  for (const socket of sockets) socket.answer(200)
  expect(places.makeRoom(by('stranger'))).toBeNull()
  for (const socket of sockets) socket.end()
  expect(places.streams.size).toBe(0)
  for (const token of ['one', 'two']) enter(by(token))
  expect(places.makeRoom(by('three'))).toBe('strangers')
})

proves('relay.strangers-places', 'a credential that the home refuses later is a stranger’s again', () => {
  const { places, enter } = placesOf()
  for (const status of [304, 403]) enter(by('owner')).answer(status).end()
  for (const token of ['one', 'two']) enter(by(token))
  expect(places.makeRoom(by('owner'))).toBeNull()
  enter(by('owner')).answer(401).end()
  expect(places.makeRoom(by('owner'))).toBe('strangers')
})

proves('relay.strangers-places', 'end-to-end connections have their bound, and all together too', () => {
  const { places, enter } = placesOf()
  for (let count = 0; count < BOUNDS.endToEnd; count += 1) enter(CONNECTION)
  expect([CONNECTION, by('stranger')].map((headers) => places.makeRoom(headers))).toEqual(['end_to_end', null])
  while (places.streams.size < BOUNDS.streams) enter({ ':authority': 'control' })
  expect(places.makeRoom({ ':authority': 'control' })).toBe('all')
})

proves('relay.strangers-places', 'only so many admitted credentials are remembered', () => {
  const { places, enter } = placesOf()
  for (let count = 0; count <= ADMITTED_MAX; count += 1)
    enter(by(String(count)))
      .answer(200)
      .end()
  for (const token of ['one', 'two']) enter(by(token))
  expect([by('0'), by('1')].map((headers) => places.makeRoom(headers))).toEqual(['strangers', null])
})

proves('relay.fair-places', 'the address with the most connections makes room, and a /48 is one', () => {
  const { places, enter } = placesOf({ streams: 20, strangers: 4, endToEnd: 8, unproved: 4 })
  const streams = ['192.0.2.1', '2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1'].map((peer) =>
    enter(from(peer)),
  )
  expect(places.makeRoom(from('2001:db8:1:4::1'))).toBe('end_to_end')
  expect(places.makeRoom(from('203.0.113.1'))).toBeNull()
  expect(streams.map(({ rstCode }) => rstCode)).toEqual([0, constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, 0])
  enter(from('203.0.113.1'))
  // Two of the /48 are left: with one more place 203.0.113.1 would have as many.
  expect(places.makeRoom(from('203.0.113.1'))).toBe('end_to_end')
})

proves(
  'relay.fair-places',
  'strangers’ requests make room the same way, and for an admitted credential when all is full',
  () => {
    const { places, enter } = placesOf({ streams: 6, strangers: 4, endToEnd: 4, unproved: 4 })
    enter({ ...by('owner'), [PEER_HEADER]: '203.0.113.1' }).answer(200)
    const strangers = Array.from({ length: 4 }, (_, index) =>
      enter({ ...by(`stranger ${index}`), [PEER_HEADER]: '192.0.2.1' }),
    )
    expect(places.makeRoom({ ...by('new'), [PEER_HEADER]: '192.0.2.2' })).toBeNull()
    expect(strangers.map(({ rstCode }) => rstCode === 0)).toEqual([false, true, true, true])
    enter({ ...by('new'), [PEER_HEADER]: '192.0.2.2' })
    enter(from('192.0.2.3'))
    expect(places.makeRoom(from('192.0.2.4'))).toBe('all')
    expect(places.makeRoom(by('owner'))).toBeNull()
    expect(strangers.map(({ rstCode }) => rstCode === 0)).toEqual([false, false, true, true])
  },
)

proves('end-to-end.strangers', 'a connection that is old enough to have shown a credential keeps its place', () => {
  const { clock, places, enter } = placesOf({ streams: 20, strangers: 4, endToEnd: 4, unproved: 2 })
  const old = [enter(from('192.0.2.1')), enter(from('192.0.2.1'))]
  clock.advance(PROVED_AFTER_MS)
  const young = [enter(from('192.0.2.2')), enter(from('192.0.2.2'))]
  expect(places.makeRoom(from('192.0.2.3'))).toBeNull()
  expect([...old, ...young].map(({ rstCode }) => rstCode === 0)).toEqual([true, true, false, true])
  old[0]?.end()
  expect(clock.waiting).toBe(1)
})
