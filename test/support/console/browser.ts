import { createHash, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { connect } from 'node:tls'
import { type BrowserContext, chromium } from 'playwright-core'

/** Where a browser goes: a gateway on this machine, and the CA it is verified by before the browser is told its key. */
export interface BrowsedGateway {
  readonly port: number
  readonly ca: string
}

const PLACES = ['chromium-headless-shell', 'chromium', 'google-chrome'].flatMap((name) =>
  ['/usr/bin', '/usr/local/bin'].map((folder) => `${folder}/${name}`),
)

/** The browser of this machine: `HM_CHROMIUM`, or the first that is found; null where there is none. */
export const CHROMIUM: string | null = process.env['HM_CHROMIUM'] ?? PLACES.find((path) => existsSync(path)) ?? null

/** A browser that trusts the key of this gateway's certificate and nobody else's. `folder` is for its profile. */
export async function openBrowser(gateway: BrowsedGateway, folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM ?? '',
    args: [`--ignore-certificate-errors-spki-list=${await keyOf(gateway)}`, '--no-sandbox'],
  })
}

/** A browser whose warnings somebody clicks away; it tells the page that it verified nothing. */
export function openCarelessBrowser(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM ?? '',
    ignoreHTTPSErrors: true,
    args: ['--no-sandbox'],
  })
}

/** SHA-256 of the public key that the gateway serves, which a verified connection showed. */
function keyOf({ port, ca }: BrowsedGateway): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca }, () => {
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
