import { connect, performServerHandshake } from 'node:http2'
import { duplexPair } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { Directory } from './directory.ts'
import { TunnelHomes } from './tunnel-homes.ts'

test('a request goes through the other tunnel of a home if the first has closed', async () => {
  const [near, far] = duplexPair()
  const gateway = performServerHandshake(far).on('error', () => {})
  gateway.on('stream', (stream) => {
    stream.respond({ ':status': 200 })
    stream.end(JSON.stringify({ house: 'Mill Lane' }))
  })
  const session = connect('https://gateway', { createConnection: () => near }).on('error', () => {})
  onTestFinished(() => session.destroy())
  const directory: Directory = {
    find: (_gateway, exceptNode = null) =>
      exceptNode === 'ending'
        ? { node: 'other', open: (headers, endStream) => session.request(headers, { endStream }) }
        : { node: 'ending', open: () => 'gone' },
  }
  const homes = new TunnelHomes(directory, new ManualClock())
  expect(await homes.label('abcdefghjkmn')).toEqual({ ok: true, value: 'Mill Lane' })
})
