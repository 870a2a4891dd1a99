import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { onTestFinished } from 'vitest'
import { Passwords } from '../../../relay/accounts/passwords.ts'
import type { LinkChange } from '../../../relay/enrolment/enrolment.ts'
import { RelayMetrics } from '../../../relay/metrics/metrics.ts'
import { SqliteStore } from '../../../relay/store/sqlite-store.ts'
import { Web, type WebParts } from '../../../relay/web.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { openTls } from '../../../src/tls/tls.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import { Browser } from './browser.ts'
import { FakeHomes } from './fake-homes.ts'
import { trustingFetch } from './trusting-fetch.ts'

export const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }
export const HOME = 'abcdefghjkmn'

/** One certificate for all relays of the process, because generating it takes longer than most tests. */
let identity: ReturnType<typeof ownIdentity> | undefined

async function ownIdentity(): Promise<{ readonly context: SecureContextOptions; readonly ca: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'hm-test-'))
  const tls = await openTls({
    dir: join(dir, 'tls'),
    serial: 'relay',
    addresses: () => ['127.0.0.1'],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const own = { context: tls.secureContextOptions(), ca: tls.ca.pem }
  await tls.stop()
  rmSync(dir, { recursive: true, force: true })
  return own
}

/** The relay's sign-in on its own HTTPS port, with fake gateways. */
export async function testWeb({ host = '127.0.0.1', ...options }: Partial<WebParts> & { readonly host?: string } = {}) {
  const log = recordingLog()
  const clock = new ManualClock(Date.now())
  const store = new SqliteStore(':memory:', clock)
  const homes = new FakeHomes()
  const linkChanges: LinkChange[] = []
  identity ??= ownIdentity()
  const { context, ca } = await identity
  const server = createServer(context)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const origin = `https://${host}:${address.port}`
  const web = new Web({
    origin,
    store,
    homes,
    clock,
    random: systemRandom,
    log,
    signUp: 'invite',
    metadataDocuments: null,
    securityContact: null,
    logsRequests: true,
    metrics: new RelayMetrics(),
    fetch: globalThis.fetch,
    peerOf: (request) => String(request.headers['x-test-peer'] ?? request.socket.remoteAddress),
    linkChanged: async (change) => void linkChanges.push(change),
    passwords: new Passwords(systemRandom, 4),
    ...options,
  })
  server.on('request', (request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    if (web.owns(pathname)) void web.handle(request, response)
    else response.writeHead(404).end()
  })
  const { fetch, agent } = trustingFetch(ca)
  onTestFinished(async () => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
    await store.close()
  })
  return {
    origin,
    web,
    homes,
    clock,
    store,
    log,
    linkChanges,
    fetch,
    ca,
    browser: (agent?: string) => new Browser(origin, fetch, agent),
  }
}

export type TestWeb = Awaited<ReturnType<typeof testWeb>>

/** A relay with Olga's account, which is signed in and linked to these homes. */
export async function olgasRelay(
  options: Omit<Partial<WebParts>, 'homes'> & { readonly homes?: readonly string[]; readonly host?: string } = {},
) {
  const { homes = [HOME], ...others } = options
  const relay = await testWeb(others)
  const olga = relay.browser()
  const invite = (await relay.web.accounts.invites.first())!
  await olga.submit(await olga.open(`/signup?invite=${invite}`), 'Create account', OLGA)
  for (const [index, serial] of homes.entries()) {
    relay.homes.houses.set(serial, `House ${index + 1}`)
    const { code } = await relay.web.enrolment.begin(serial, `key of ${serial}`)
    const compare = await olga.submit(await olga.open('/link'), 'Continue', { code })
    await olga.submit(compare, 'Link this gateway')
  }
  return { ...relay, olga }
}
