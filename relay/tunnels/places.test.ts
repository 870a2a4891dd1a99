import { EventEmitter } from 'node:events'
import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ADMITTED_MAX, Places } from './places.ts'

/** A stream as far as it is counted: it has an answer, and ends. */
class Stream extends EventEmitter {
  answer(status: number): this {
    this.emit('response', { ':status': status })
    return this
  }

  end(): void {
    this.emit('close')
  }
}

const BOUNDS = { streams: 6, strangers: 2, endToEnd: 2 }

function placesOf(bounds = BOUNDS) {
  const places = new Places(bounds)
  const enter = (headers: OutgoingHttpHeaders): Stream => {
    const stream = new Stream()
    places.enter(stream as unknown as ClientHttp2Stream, headers)
    return stream
  }
  return { places, enter }
}

const by = (token: string, authority = 'api'): OutgoingHttpHeaders => ({
  ':authority': authority,
  authorization: `Bearer ${token}`,
})
const PAIRING = { ':authority': 'api' }
const CONNECTION = { ':authority': 'tls' }

proves('relay.strangers-places', 'strangers take their own places, and none of an admitted credential', () => {
  const { places, enter } = placesOf()
  enter(by('owner')).answer(200).end()
  const refused = enter(by('stranger', 'mcp'))
  enter(PAIRING)
  expect([by('another'), PAIRING, by('owner')].map((headers) => places.fullFor(headers))).toEqual([
    'strangers',
    'strangers',
    null,
  ])
  refused.answer(401).end()
  expect(places.fullFor(by('another'))).toBeNull()
})

proves('relay.strangers-places', 'a stream leaves the places of strangers as soon as the home admits it', () => {
  const { places, enter } = placesOf()
  const sockets = [enter(by('owner')), enter(by('other'))]
  expect(places.fullFor(by('stranger'))).toBe('strangers')
  for (const socket of sockets) socket.answer(200)
  expect(places.fullFor(by('stranger'))).toBeNull()
  for (const socket of sockets) socket.end()
  expect(places.streams.size).toBe(0)
  for (const token of ['one', 'two']) enter(by(token))
  expect(places.fullFor(by('three'))).toBe('strangers')
})

proves('relay.strangers-places', 'a credential that the home refuses later is a stranger’s again', () => {
  const { places, enter } = placesOf()
  for (const status of [304, 403]) enter(by('owner')).answer(status).end()
  for (const token of ['one', 'two']) enter(by(token))
  expect(places.fullFor(by('owner'))).toBeNull()
  enter(by('owner')).answer(401).end()
  expect(places.fullFor(by('owner'))).toBe('strangers')
})

proves('relay.strangers-places', 'end-to-end connections have their bound, and all together too', () => {
  const { places, enter } = placesOf()
  for (let count = 0; count < BOUNDS.endToEnd; count += 1) enter(CONNECTION)
  expect([CONNECTION, by('stranger')].map((headers) => places.fullFor(headers))).toEqual(['end_to_end', null])
  while (places.streams.size < BOUNDS.streams) enter({ ':authority': 'control' })
  expect(places.fullFor({ ':authority': 'control' })).toBe('all')
})

proves('relay.strangers-places', 'only so many admitted credentials are remembered', () => {
  const { places, enter } = placesOf()
  for (let count = 0; count <= ADMITTED_MAX; count += 1)
    enter(by(String(count)))
      .answer(200)
      .end()
  for (const token of ['one', 'two']) enter(by(token))
  expect([by('0'), by('1')].map((headers) => places.fullFor(headers))).toEqual(['strangers', null])
})
