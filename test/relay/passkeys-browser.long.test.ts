// @module-tag long
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { requirement } from '../requirements/index.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { addVirtualPasskeys } from '#support/console/virtual-passkeys.ts'

const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }

if (CHROMIUM === null) console.log('browser: skipped, 1 test (it needs a Chromium)')
requirement('relay.passkeys')

/** A page with a virtual authenticator, and the errors of its browser. */
async function withFinger(relay: TestRelay): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const browser = await openBrowser({ port: relay.relay.port, ca: relay.ca }, tempFolder())
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await addVirtualPasskeys(browser, page)
  return { page, complaints }
}

test.skipIf(CHROMIUM === null)(
  '[relay.passkeys] a person adds a passkey in a real browser, signs in with it, and removes it by it',
  async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const { page, complaints } = await withFinger(relay)
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
    const sees = (text: string): Promise<void> => page.getByText(text).waitFor()
    await page.goto(`${relay.relay.url}/signup`)
    await page.getByLabel('E-mail address').fill(OLGA.email)
    await page.getByLabel('Password').fill(OLGA.password)
    await press('Create account')
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name of the passkey').fill('Olga’s phone')
    await page.getByLabel('Current password').fill('wrong horse battery')
    await press('Add the passkey')
    await sees('The current password is wrong.')
    expect(complaints.splice(0)).toEqual([expect.stringContaining('422')])
    await page.getByLabel('Current password').fill(OLGA.password)
    await press('Add the passkey')
    await sees('The passkey is added.')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await press('Sign out')
    await press('Sign in with a passkey')
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByRole('link', { name: 'Change Olga’s phone' }).click()
    await press('Use a passkey instead')
    await sees('Confirmed by a passkey')
    await press('Remove the passkey')
    await sees('The passkey is removed')
    await press('Sign out')
    await press('Sign in with a passkey')
    await sees('The passkey could not be checked.')
    expect(complaints).toEqual([expect.stringContaining('422')])
  },
  60_000,
)
