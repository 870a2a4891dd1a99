import { createHash, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { connect } from 'node:tls'
import { type BrowserContext, chromium } from 'playwright-core'

/** A gateway on this machine, with the CA that verifies its key for the browser. */
export interface BrowsedGateway {
  readonly port: number
  readonly ca: string
}

const PLACES = ['chromium-headless-shell', 'chromium', 'google-chrome'].flatMap((name) =>
  ['/usr/bin', '/usr/local/bin'].map((folder) => `${folder}/${name}`),
)

/** Path of the browser: `HM_CHROMIUM`, or the first installed one; null if there is none. */
export const CHROMIUM: string | null = process.env['HM_CHROMIUM'] ?? PLACES.find((path) => existsSync(path)) ?? null

/** Path of a browser that can show notifications, which a headless shell cannot; null if there is none. */
export const NOTIFYING_CHROMIUM: string | null =
  [CHROMIUM, ...PLACES].find((path) => path !== null && !path.includes('headless') && existsSync(path)) ?? null

/** Opens a browser that trusts only this gateway's key. `folder` is for its profile. */
export async function openBrowser(
  gateway: BrowsedGateway,
  folder: string,
  executable = CHROMIUM,
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: executable ?? '',
    args: [`--ignore-certificate-errors-spki-list=${await keyOf(gateway)}`, '--no-sandbox'],
  })
}

/** Opens a browser that ignores certificate errors, so pages stay unverified. */
export function openCarelessBrowser(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM ?? '',
    ignoreHTTPSErrors: true,
    args: ['--no-sandbox'],
  })
}

/** SHA-256 of the gateway's public key, read over a verified connection. */
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
