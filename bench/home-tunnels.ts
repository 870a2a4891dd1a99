import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { refusedWith } from '../src/api/answers.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { refuseStream, send } from '../src/tunnel/answering.ts'
import type { Streams } from '../src/tunnel/open-streams.ts'
import { Epochs } from '../src/tunnel/epochs.ts'
import { RelayLink } from '../src/tunnel/relay-link.ts'
import { RelaySettingsFile } from '../src/tunnel/settings-file.ts'
import { madeUpHome } from './made-up-home.ts'

/**
 * Many homes in one process, with the real tunnel of each: keys, TLS, HTTP/2, supervisor. Behind it there is no gateway,
 * but one answer to everything. Arguments: which numbers, and the relay.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    to: { type: 'string', default: '0' },
    url: { type: 'string', default: '' },
    ca: { type: 'string', default: '' },
  },
})
const LOOK_EACH_MS = 50
const json = { 'content-type': 'application/json; charset=utf-8' }
const body = JSON.stringify({ house: 'Made up', text: 'x'.repeat(1_000) })

const answering: Streams = {
  take: (stream: ServerHttp2Stream, _headers: IncomingHttpHeaders) => {
    stream.resume()
    send(stream, { status: 200, headers: json, body })
  },
  end: (stream) => refuseStream(stream),
}
const folder = mkdtempSync(join(tmpdir(), 'hm-bench-homes-'))
const links: RelayLink[] = []
for (let number = Number(values.from); number < Number(values.to); number += 1) links.push(opened(number))

process.on('message', ({ linked }: { linked: number }) => whenLinked(linked))
process.on('SIGTERM', stop).on('disconnect', stop)
process.send?.({})

function opened(number: number): RelayLink {
  const { serial, identity } = madeUpHome(number)
  const file = join(folder, `${serial}.json`)
  writeFileSync(file, JSON.stringify({ url: values.url, ca: values.ca, accounts: [], passthrough: 'off' }))
  const link = new RelayLink({
    serial,
    file: new RelaySettingsFile(file, silentLog),
    identity: () => Promise.resolve(identity),
    epochs: new Epochs({ clock: systemClock, kept: { spent: 0, keep: () => Promise.resolve() }, log: silentLog }),
    house: () => 'Made up',
    streams: { api: answering, mcp: answering, tls: answering },
    hosted: () => Promise.resolve(refusedWith('not_found')),
    enrolled: () => {},
    unsettled: () => {},
    unlinked: () => {},
    gaveWay: () => {},
    notices: { record: () => {}, tooMany: () => {} },
    usurped: () => {},
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  link.start()
  return link
}

function linkedNow(): number {
  return links.filter((link) => link.status().state === 'linked').length
}

/** Answers once so many homes are linked. */
function whenLinked(wanted: number): void {
  if (linkedNow() >= wanted) process.send?.({ linked: linkedNow() })
  else setTimeout(() => whenLinked(wanted), LOOK_EACH_MS)
}

function stop(): void {
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}
