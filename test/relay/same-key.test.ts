import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { madeUpHome } from '../../bench/made-up-home.ts'
import { refusedWith } from '../../src/api/answers.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { refuseStream } from '../../src/relay/answering.ts'
import type { Streams } from '../../src/relay/open-streams.ts'
import { RelayLink } from '../../src/relay/relay-link.ts'
import { RelaySettingsFile } from '../../src/relay/settings-file.ts'
import { proves } from '#support/gateway/verifies.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** The gateway's side of a relay with whatever key, and what it finds out about it. */
function gatewayAt(relay: TestRelay) {
  const { serial, identity } = madeUpHome(1)
  const usurped = Promise.withResolvers<void>()
  const file = join(tempFolder(), 'relay.json')
  writeFileSync(file, JSON.stringify({ url: relay.relay.url, ca: relay.ca, accounts: [], passthrough: 'off' }))
  const refusing: Streams = { take: (stream) => refuseStream(stream), end: (stream) => refuseStream(stream) }
  const link = new RelayLink({
    serial,
    file: new RelaySettingsFile(file, silentLog),
    identity: () => Promise.resolve(identity),
    house: () => 'Made up',
    streams: { api: refusing, mcp: refusing, tls: refusing },
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

/** Resolves once the relay has said so. */
async function become({ link }: ReturnType<typeof gatewayAt>, state: 'linked' | 'unlinked'): Promise<void> {
  while (link.status().state !== state) await new Promise(setImmediate)
}

describe('two gateways with one key', () => {
  proves(
    'relay.same-key',
    'each find out that there is another, by the tunnel that takes the place of theirs',
    async () => {
      const relay = await TestRelay.open()
      onTestFinished(() => relay[Symbol.asyncDispose]())
      const [own, thief] = [gatewayAt(relay), gatewayAt(relay)]
      const { serial, identity } = madeUpHome(1)
      own.link.start()
      await become(own, 'unlinked')
      const { code } = await relay.relay.enrolment.begin(serial, identity.publicKey)
      await relay.confirm(code)
      await become(own, 'linked')
      let isUsurped = false
      void own.usurped.then(() => (isUsurped = true))
      // Its own next tunnel is none of another's.
      await own.link.passthrough('on')
      while (relay.relay.tunnels.counts().linked < 2) await new Promise(setImmediate)
      expect(isUsurped).toBe(false)
      thief.link.start()
      await own.usurped
      await own.link.passthrough('off')
      await thief.usurped
    },
  )
})
