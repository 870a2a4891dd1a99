// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { SCHEMES, SCREENS } from '#support/console/pages.ts'
import { faultsOf } from '#support/console/page-faults.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { freePort } from '#support/free-port.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { RelayProcess } from '#support/relay/relay-process.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, the page of the relay (HM_CHROMIUM names a Chromium)')

const card = (page: Page, title: string): Locator =>
  page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) })
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
const confirm = (page: Page, name: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

/** Faults of the current page on both screens, light and dark. */
async function faults(page: Page): Promise<readonly string[]> {
  const all: string[] = []
  for (const screen of SCREENS)
    for (const colorScheme of SCHEMES) {
      await page.setViewportSize(screen)
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      all.push(...(await faultsOf(page)).map((fault) => `${screen.width} ${colorScheme}: ${fault}`))
    }
  return all
}

provesInBrowser(
  'console.relay',
  'the page connects a relay, links accounts, sets passthrough, unlinks and disconnects',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
    await using ends = new AsyncDisposableStack()
    ends.defer(() => rmSync(folder, { recursive: true, force: true }))
    const relay = ends.use(await RelayProcess.start({ dataDir: join(folder, 'relay'), port: await freePort() }))
    const running = ends.use(await TestGateway.open({ ...ONE_UNIT, settled: false }))
    const visitor = ends.use(new ConsoleVisitor(running))
    await running.admin.call('POST', '/persons', { name: 'Anna' })
    const browser = ends.use(await browserAt(running, join(folder, 'browser')))
    const watched = await WatchedPage.open(browser)
    const { page } = watched
    await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.goto(`${visitor.origin}/console/system/relay`)

    await page.getByLabel('Address of the relay').fill(relay.origin)
    await page.getByLabel('Fingerprint (optional)').fill(relay.fingerprint)
    await press(page, 'Connect')
    await card(page, 'Relay').getByText('connected, no account yet').waitFor()
    await card(page, 'Relay').getByText(relay.origin).waitFor()
    await card(page, 'Relay')
      .getByText(/^1 tunnel/)
      .waitFor()
    const code = card(page, 'Accounts').locator('.code')
    await code.waitFor()
    await card(page, 'Accounts').getByText(running.gateway.serial).waitFor()
    expect(await faults(page)).toEqual([])

    await relay.accept(await code.innerText())
    await card(page, 'Accounts').getByText('olga@example.org').waitFor()
    await card(page, 'Relay').getByText('connected', { exact: true }).waitFor()
    expect(await code.count()).toBe(0)
    await page.getByRole('radio', { name: 'Only' }).click()
    await page.getByText('the relay cannot read their traffic').waitFor()
    expect(await running.admin.call('GET', '/relay')).toMatchObject({ state: 'linked', passthrough: 'only' })
    expect(await faults(page)).toEqual([])

    // The relay page and the status page report the loss of the relay.
    await relay.kill()
    await running.hasten(card(page, 'Relay').getByRole('alert').waitFor())
    expect(await faults(page)).toEqual([])

    await press(page, 'Disconnect the relay')
    await page.getByRole('dialog').getByText('This affects 1 linked account').waitFor()
    await confirm(page, 'Disconnect the relay')
    await page.getByText('No relay is connected').waitFor()
    expect(await running.admin.call('GET', '/relay')).toMatchObject({ state: 'off' })
    expect(watched.takeProblems()).toEqual([])
  },
)
