import { existsSync, readFileSync } from 'node:fs'
import { X509Certificate, createHash } from 'node:crypto'
import { connect } from 'node:tls'
import { type BrowserContext, chromium } from 'playwright-core'
import { tempFolder } from '#support/temp-folder.ts'
import type { TestGateway } from './test-gateway.ts'

const PLACES = ['chromium-headless-shell', 'chromium', 'google-chrome'].flatMap((name) =>
  ['/usr/bin', '/usr/local/bin'].map((folder) => `${folder}/${name}`),
)

/** The browser of this machine: `HM_CHROMIUM`, or the first that is found; null where there is none. */
export const CHROMIUM: string | null = process.env['HM_CHROMIUM'] ?? PLACES.find((path) => existsSync(path)) ?? null

/** A browser that trusts the key of this gateway's certificate and nobody else's. */
export async function browserAt(running: TestGateway): Promise<BrowserContext> {
  return chromium.launchPersistentContext(tempFolder(), {
    executablePath: CHROMIUM ?? '',
    args: [`--ignore-certificate-errors-spki-list=${await keyOf(running)}`, '--no-sandbox'],
  })
}

/** SHA-256 of the public key that the gateway serves, which a verified connection showed. */
function keyOf({ gateway }: TestGateway): Promise<string> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(gateway.caFile)
    const socket = connect({ host: '127.0.0.1', port: gateway.port, servername: 'localhost', ca }, () => {
      const { publicKey } = new X509Certificate(socket.getPeerCertificate().raw)
      socket.destroy()
      resolve(
        createHash('sha256')
          .update(publicKey.export({ type: 'spki', format: 'der' }))
          .digest('base64'),
      )
    })
    socket.once('error', reject)
  })
}
