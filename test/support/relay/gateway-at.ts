import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { madeUpHome } from '../../../bench/made-up-home.ts'
import { refusedWith } from '../../../src/api/answers.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { refuseStream } from '../../../src/relay/answering.ts'
import type { Streams } from '../../../src/relay/open-streams.ts'
import { RelayLink } from '../../../src/relay/relay-link.ts'
import { RelaySettingsFile } from '../../../src/relay/settings-file.ts'
import type { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'

export interface GatewayAt {
  readonly link: RelayLink
  /** Resolves when it finds that somebody else has its key. */
  readonly usurped: Promise<void>
}

const REFUSING: Streams = { take: (stream) => refuseStream(stream), end: (stream) => refuseStream(stream) }

/** The gateway's side of the made-up home 1, which answers requests by `api` alone; it dials once it is started. */
export function gatewayAt(relay: TestRelay, api: Streams = REFUSING): GatewayAt {
  const { serial, identity } = madeUpHome(1)
  const usurped = Promise.withResolvers<void>()
  const file = join(tempFolder(), 'relay.json')
  writeFileSync(file, JSON.stringify({ url: relay.relay.url, ca: relay.ca, accounts: [], passthrough: 'off' }))
  const link = new RelayLink({
    serial,
    file: new RelaySettingsFile(file, silentLog),
    identity: () => Promise.resolve(identity),
    house: () => 'Made up',
    streams: { api, mcp: REFUSING, tls: REFUSING },
    hosted: { answer: () => Promise.resolve(refusedWith('not_found')) },
    enrolled: () => {},
    usurped: () => usurped.resolve(),
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  onTestFinished(() => link.stop())
  return { link, usurped: usurped.promise }
}

/** Starts it and links its home to the relay's account. */
export async function startLinked(relay: TestRelay, gateway: GatewayAt): Promise<void> {
  const { serial, identity } = madeUpHome(1)
  gateway.link.start()
  await become(gateway, 'unlinked')
  const { code } = await relay.relay.enrolment.begin(serial, identity.publicKey)
  await relay.confirm(code)
  await become(gateway, 'linked')
}

/** Resolves once the relay has said so. */
async function become({ link }: GatewayAt, state: 'linked' | 'unlinked'): Promise<void> {
  while (link.status().state !== state) await new Promise(setImmediate)
}
