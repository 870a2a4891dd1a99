import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { RequestParts } from '../../../src/lib/checked-request.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { openTls } from '../../../src/tls/tls.ts'
import type { PushedRequest } from './push-browser.ts'

/** A name of the certificate. */
const HOST = 'hm-push.local'

export interface PushService extends AsyncDisposable {
  readonly origin: string
  readonly received: PushedRequest[]
  /** Network of a home that reaches only this machine, and trusts the certificate. */
  readonly network: Omit<RequestParts, 'clock'>
  /** Answers no further request. */
  readonly hang: () => void
}

/** A push service on this machine, with TLS. */
export async function pushService(): Promise<PushService> {
  const dir = mkdtempSync(join(tmpdir(), 'hm-push-'))
  const parts = { addresses: () => ['127.0.0.1'], clock: systemClock, random: systemRandom, log: silentLog }
  const tls = await openTls({ dir, serial: 'push', ...parts })
  const received: PushedRequest[] = []
  let hangs = false
  const server = createServer(tls.secureContextOptions(), (request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: { ...request.headers, path: request.url }, body })
      if (!hangs) response.writeHead(201).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `https://${HOST}:${(server.address() as AddressInfo).port}`,
    received,
    network: {
      allowed: ['127.0.0.1'],
      ca: tls.ca.pem,
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    },
    hang: () => (hangs = true),
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections()
      await tls.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
