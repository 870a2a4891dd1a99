import type { BrowserContext, Page } from 'playwright-core'

/** Gives a page a virtual authenticator that confirms without a person. */
export async function addVirtualPasskeys(browser: BrowserContext, page: Page): Promise<void> {
  const devtools = await browser.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
