import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { madeUpHome } from '../../../bench/made-up-home.ts'
import { refusedWith } from '../../../src/api/answers.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { type Random, systemRandom } from '../../../src/lib/random.ts'
import { Epochs, EpochsFile } from '../../../src/tunnel/epochs.ts'
import { refuseStream } from '../../../src/tunnel/stream-responses.ts'
import type { TunnelStreamHandler } from '../../../src/tunnel/open-streams.ts'
import { RelayLink } from '../../../src/tunnel/relay-link.ts'
import { RelaySettingsFile } from '../../../src/tunnel/settings-file.ts'
import { expectNoStreams } from '#support/relay/nothing-left.ts'
import type { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'

export interface GatewayAt {
  readonly link: RelayLink
  /** Resolves when the gateway finds another one with its key. */
  readonly foundRival: Promise<void>
  /** Resolves when the gateway gives way to the other one. */
  readonly gaveWay: Promise<void>
}

const REFUSING: TunnelStreamHandler = {
  handle: (stream) => refuseStream(stream),
  end: (stream) => refuseStream(stream),
}

interface GatewayAtOptions {
  /** Handles requests. */
  readonly api?: TunnelStreamHandler
  /** Port at which the gateway finds the relay; by default the relay's own. */
  readonly port?: number
  /** True if the gateway can read its key. */
  readonly hasKey?: boolean
  /** Clock and folder of the gateway, for another start of the same one. */
  readonly clock?: Clock
  readonly random?: Random
  readonly folder?: string
}

/** The gateway's end of a tunnel for the fake home 1, which serves only `api`. It connects once it is started. */
export function gatewayAt(relay: TestRelay, options: GatewayAtOptions = {}): GatewayAt {
  const { api = REFUSING, port = relay.relay.port, folder = tempFolder(), hasKey = true } = options
  const { clock = systemClock, random = systemRandom } = options
  const { serial, identity } = madeUpHome(1)
  const rivalFound = Promise.withResolvers<void>()
  const gaveWay = Promise.withResolvers<void>()
  const file = join(folder, 'relay.json')
  const url = `https://localhost:${port}`
  const stored = new EpochsFile(join(folder, 'epochs'), silentLog)
  writeFileSync(file, JSON.stringify({ url, ca: relay.ca, accounts: [], passthrough: 'off' }))
  const link = new RelayLink({
    serial,
    file: new RelaySettingsFile(file, silentLog),
    identity: () => Promise.resolve(hasKey ? identity : null),
    epochs: new Epochs({ clock, stored, log: silentLog }),
    houseName: () => 'Made up',
    streams: { api, mcp: REFUSING, tls: REFUSING },
    hosted: () => Promise.resolve(refusedWith('not_found')),
    recordLinkChange: () => {},
    recordManyLinkChanges: () => {},
    recordUnlinked: () => {},
    notices: { record: () => {}, recordOmitted: () => {} },
    onTakeover: () => rivalFound.resolve(),
    onGiveWay: () => gaveWay.resolve(),
    clock,
    random,
    log: silentLog,
  })
  onTestFinished(async () => {
    try {
      if (!relay.isStopped) await expectNoStreams(relay)
    } finally {
      await link.stop()
    }
  })
  return { link, foundRival: rivalFound.promise, gaveWay: gaveWay.promise }
}

/** Starts the gateway and links its home to the relay's account. */
export async function startLinked(relay: TestRelay, gateway: GatewayAt): Promise<void> {
  const { serial, identity } = madeUpHome(1)
  gateway.link.start()
  await become(gateway, 'unlinked')
  const { code } = await relay.relay.enrolment.begin(serial, identity.publicKey)
  await relay.confirm(code)
  await become(gateway, 'linked')
}

/** Resolves once the relay has confirmed it. */
export async function become({ link }: GatewayAt, state: 'linked' | 'unlinked'): Promise<void> {
  while (link.status().state !== state) await new Promise(setImmediate)
}
