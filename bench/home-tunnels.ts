import { writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { join } from 'node:path'
import { refusedWith } from '../src/api/answers.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { refuseStream, send } from '../src/tunnel/stream-responses.ts'
import type { TunnelStreamHandler } from '../src/tunnel/open-streams.ts'
import { Epochs } from '../src/tunnel/epochs.ts'
import { RelayLink } from '../src/tunnel/relay-link.ts'
import { RelaySettingsFile } from '../src/tunnel/settings-file.ts'
import { madeUpHome } from './made-up-home.ts'
import { scratch } from './scratch.ts'
import { serve } from './served.ts'

/**
 * Many homes in one process, each with a real tunnel: keys, TLS, HTTP/2, supervisor. A fixed response replaces the
 * gateway. Arguments: the first number, the number after the last, the relay's address and its CA.
 */
const [from, to, url, ca] = process.argv.slice(2)
const LOOK_EACH_MS = 50
const json = { 'content-type': 'application/json; charset=utf-8' }
const body = JSON.stringify({ house: 'Made up', text: 'x'.repeat(1_000) })

const answering: TunnelStreamHandler = {
  handle: (stream: ServerHttp2Stream, _headers: IncomingHttpHeaders) => {
    stream.resume()
    send(stream, { status: 200, headers: json, body })
  },
  end: (stream) => refuseStream(stream),
}
const folder = scratch()
const links = Array.from({ length: Number(to) - Number(from) }, (_, index) => opened(Number(from) + index))

serve({}, { linked }, () => folder[Symbol.dispose]())

function opened(number: number): RelayLink {
  const { serial, identity } = madeUpHome(number)
  const file = join(folder.path, `${serial}.json`)
  writeFileSync(file, JSON.stringify({ url, ca, accounts: [], passthrough: 'off' }))
  const link = new RelayLink({
    serial,
    file: new RelaySettingsFile(file, silentLog),
    identity: () => Promise.resolve(identity),
    epochs: new Epochs({
      clock: systemClock,
      stored: { reservedTo: 0, store: () => Promise.resolve() },
      log: silentLog,
    }),
    houseName: () => 'Made up',
    streams: { api: answering, mcp: answering, tls: answering },
    hosted: () => Promise.resolve(refusedWith('not_found')),
    recordLinkChange: () => {},
    recordManyLinkChanges: () => {},
    recordUnlinked: () => {},
    onGiveWay: () => {},
    notices: { record: () => {}, recordOmitted: () => {} },
    onTakeover: () => {},
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  link.start()
  return link
}

/** Resolves when this many homes are linked. */
async function linked(wanted: number): Promise<void> {
  while (links.filter((link) => link.status().state === 'linked').length < wanted)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EACH_MS))
}
