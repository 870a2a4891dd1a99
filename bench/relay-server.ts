import { openRelay } from '../relay/relay.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { memoryAfterCollection } from './collection.ts'
import { scratch } from './scratch.ts'
import { serve } from './served.ts'

/**
 * A relay for the benchmarks. Arguments: its port, and optionally its data folder. It has no limits per address,
 * because all homes and clients of a load share one. The limits of a node apply.
 */
const LOOK_EACH_MS = 100
const port = Number(process.argv[2])
const own = scratch()
const many = { perSecond: 1e6, burst: 1e6 }
const relay = await openRelay({
  settings: {
    url: `https://localhost:${port}`,
    host: '127.0.0.1',
    port,
    dataDir: process.argv[3] ?? own.path,
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

serve(
  { port, ca: relay.authority?.pem, fingerprint: relay.authority?.fingerprint },
  { memory: memoryAfterCollection, link, holding },
  async () => {
    await relay.stop(0)
    own[Symbol.dispose]()
  },
)

/** Links an account to the gateway with this code. */
async function link(code: string): Promise<{ readonly isLinked: boolean }> {
  const { accounts, enrolment, tunnels } = relay
  const made = await accounts.signUp(
    { email: 'olga@example.org', password: 'correct horse battery', invite: '' },
    { peer: '::1' },
  )
  const isLinked = made.ok && (await enrolment.confirm(code, made.value.account, '::1')).ok
  await tunnels.settled()
  return { isLinked }
}

/** Resolves when this many homes are linked, with their number at each check. */
async function holding(wanted: number): Promise<object> {
  const looks: { readonly ms: number; readonly count: number }[] = []
  for (;;) {
    const { linked: count } = relay.tunnels.counts()
    looks.push({ ms: performance.now(), count })
    if (count >= wanted) return { looks }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EACH_MS))
  }
}
