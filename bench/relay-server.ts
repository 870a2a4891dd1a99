import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openRelay } from '../relay/relay.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { memoryAfterCollection } from './collection.ts'

/**
 * A relay for the benchmarks, in a data folder of its own unless one is named. It lets in whatever one address asks for,
 * since all homes and clients of a load have the same; what holds for a whole node holds here too.
 */
const { values } = parseArgs({
  options: { port: { type: 'string' }, data: { type: 'string' } },
})
const LOOK_EACH_MS = 100
const port = Number(values.port)
const dataDir = values.data ?? mkdtempSync(join(tmpdir(), 'hm-bench-relay-'))
const many = { perSecond: 1e6, burst: 1e6 }
const relay = await openRelay({
  settings: {
    url: `https://localhost:${port}`,
    host: '127.0.0.1',
    port,
    dataDir,
    tls: null,
    signUp: 'open',
    metadataDocuments: false,
    metricsPort: null,
    securityContact: null,
    nats: null,
    inner: null,
    logLevel: 'silent',
  },
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  limits: { ofAddress: many, ofHome: many, ofStrangers: many, handshakesOfAddress: many, connectionsOfAddress: 1e6 },
})

process.on('message', (message: { memory?: true; link?: string; holding?: number }) => {
  if (message.holding !== undefined) whenHolding(message.holding, [])
  if (message.memory) void memoryAfterCollection().then((memory) => process.send?.(memory))
  if (message.link !== undefined) void link(message.link).then((isLinked) => process.send?.({ isLinked }))
})
process.on('SIGTERM', stop).on('disconnect', stop)
process.send?.({ port, dataDir, ca: relay.authority?.pem, fingerprint: relay.authority?.fingerprint })

/** Links an account to the gateway of this code. */
async function link(code: string): Promise<boolean> {
  const { accounts, enrolment, tunnels } = relay
  const made = await accounts.signUp(
    { email: 'olga@example.org', password: 'correct horse battery', invite: '' },
    { peer: '::1' },
  )
  const done = made.ok && (await enrolment.confirm(code, made.value.account, '::1')).ok
  await tunnels.settled()
  return done
}

/** Answers once so many homes are linked, with how many there were at each look. */
function whenHolding(wanted: number, looks: { readonly ms: number; readonly count: number }[]): void {
  const { linked: count } = relay.tunnels.counts()
  looks.push({ ms: performance.now(), count })
  if (count >= wanted) process.send?.({ looks })
  else setTimeout(() => whenHolding(wanted, looks), LOOK_EACH_MS)
}

function stop(): void {
  void relay.stop(0).then(() => {
    if (values.data === undefined) rmSync(dataDir, { recursive: true, force: true })
    process.exit(0)
  })
}
