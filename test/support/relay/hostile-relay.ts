import { mkdtempSync } from 'node:fs'
import { createServer, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { openTls } from '../../../src/tls/tls.ts'
import { TUNNEL_PROTOCOL } from '../../../src/wire/tunnel.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A server with a certificate and the protocol of tunnels. */
export async function hostileRelay(
  taken: (socket: TLSSocket) => void,
): Promise<{ readonly port: number; readonly fingerprint: string; readonly ca: string }> {
  const [clock, random, log] = [systemClock, systemRandom, silentLog]
  const dir = mkdtempSync(`${tempFolder()}/tls`)
  const tls = await openTls({ dir, serial: 'relay', addresses: () => [], clock, random, log })
  onTestFinished(() => tls.stop())
  const options = tls.secureContextOptions()
  const server = createServer(
    { ...options, cert: `${String(options.cert)}${tls.ca.pem}`, ALPNProtocols: [TUNNEL_PROTOCOL] },
    taken,
  )
  server.on('tlsClientError', () => {})
  onTestFinished(() => void server.close())
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('It does not listen.')
  return { port: address.port, fingerprint: tls.ca.fingerprint, ca: tls.ca.pem }
}
