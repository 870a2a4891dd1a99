// @module-tag long
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { freePort } from '#support/free-port.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { tempFolder } from '#support/temp-folder.ts'

if (CHROMIUM === null) console.log('browser: skipped, 5 tests of restarts (HM_CHROMIUM names a Chromium)')

const PASSWORD = 'correct horse battery'

/** A gateway that restarts at the same address, with Anna's signed-in browser. */
class Restarted implements AsyncDisposable {
  readonly page: Page
  readonly origin: string
  #gateway: GatewayProcess
  readonly #browser: BrowserContext

  private constructor(gateway: GatewayProcess, browser: BrowserContext, page: Page) {
    this.#gateway = gateway
    this.#browser = browser
    this.page = page
    this.origin = `https://localhost:${gateway.port}`
  }

  /** @param path page of the console in the browser */
  static async open(path: string): Promise<Restarted> {
    const folder = tempFolder()
    const env = { HM_PORT: String(await freePort()), HM_LOG_LEVEL: 'info' }
    await using ends = new AsyncDisposableStack()
    const gateway = ends.use(await GatewayProcess.start({ dataDir: join(folder, 'home'), env }))
    await gateway.admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
    const browser = ends.use(await openBrowser(gateway, join(folder, 'browser')))
    const page = await browser.newPage()
    const made = new Restarted(gateway, browser, page)
    const { links } = await gateway.admin.call<{ links: string[] }>('POST', '/links', { person: 'Anna' })
    await page.goto(`${made.origin}/console/${path}#${links[0]?.split('#')[1] ?? ''}`)
    await page.getByRole('navigation', { name: 'Places' }).waitFor()
    ends.move()
    return made
  }

  get gateway(): GatewayProcess {
    return this.#gateway
  }

  async kill(): Promise<void> {
    await this.#gateway.kill()
  }

  async start(): Promise<void> {
    const { dataDir, port } = this.#gateway
    const env = { HM_PORT: String(port), HM_LOG_LEVEL: 'info' }
    this.#gateway = await GatewayProcess.start({ dataDir, env })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
    await this.#gateway[Symbol.asyncDispose]()
  }
}

const OFFLINE = 'The gateway cannot be reached'

provesInBrowser(
  'console.log',
  'lines from before a restart stay while somebody reads, and new lines are counted',
  async () => {
    await using home = await Restarted.open('system/log')
    const { page } = home
    const lines = page.locator('.log li')
    await lines.first().waitFor()
    // The list is paused from here on.
    await lines.last().hover()
    const before = await lines.count()
    const newest = (): Promise<string | null> => lines.first().locator('time').getAttribute('datetime')
    const first = await newest()
    await home.kill()
    await page.getByText(OFFLINE).first().waitFor()
    await home.start()
    await page.getByRole('button', { name: /^\d+ new$/ }).waitFor()
    expect([await lines.count(), await newest()]).toEqual([before, first])
    await page.getByRole('button', { name: /^\d+ new$/ }).click()
    await expect.poll(() => lines.count()).toBeGreaterThan(before)
    expect(await newest()).not.toBe(first)
    expect(await page.locator(`.log time[datetime="${first}"]`).count()).toBeGreaterThan(0)
  },
)

provesInBrowser('console.old', 'without the gateway the status shows its age and no verdict', async () => {
  await using home = await Restarted.open('system')
  const { page } = home
  const verdicts = page.getByText(/^(The gateway works normally\.|Line up|The adapter answers\.|Enough room)$/)
  const ages = page.locator('#page time')
  await expect.poll(() => verdicts.count()).toBe(4)
  expect(await ages.count()).toBe(0)
  await home.kill()
  await page.getByText(OFFLINE).first().waitFor()
  expect(await verdicts.count()).toBe(0)
  await page.getByText('The adapter answered.').waitFor()
  await page.locator('.frombefore', { hasText: 'As of' }).locator('time').waitFor()
  await page.getByRole('region', { name: 'No connection' }).locator('time').waitFor()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('link', { name: 'Hall light', exact: true }).waitFor()
  await page.locator('.tile', { hasText: 'Hall light' }).locator('.state time').waitFor()
  await page.getByRole('link', { name: 'System', exact: true }).click()
  await home.start()
  await page.getByText(OFFLINE).first().waitFor({ state: 'detached' })
  await expect.poll(() => verdicts.count()).toBe(4)
})

provesInBrowser(
  'console.restarts',
  'typed text survives an absence of the gateway, and can be saved afterwards',
  async () => {
    await using home = await Restarted.open('access')
    const { page } = home
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New integration' }).click()
    await dialog.getByLabel('Name').fill('Wall tab')
    await home.kill()
    await page.getByText(OFFLINE).first().waitFor()
    await dialog.getByLabel('Name').fill('Wall tablet')
    const make = dialog.locator('button[type=submit]')
    await make.click()
    await dialog.getByRole('alert').waitFor()
    await home.start()
    await page.getByText(OFFLINE).first().waitFor({ state: 'detached' })
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Wall tablet')
    await make.click()
    await page.getByRole('heading', { level: 1, name: 'Wall tablet' }).waitFor()
    const { integrations } = await home.gateway.admin.call<{ integrations: { name: string }[] }>('GET', '/integrations')
    expect(integrations.filter(({ name }) => name === 'Wall tablet')).toHaveLength(1)
  },
)

provesInBrowser(
  'console.restarts',
  'the page that restored a backup reconnects by itself and reports the result',
  async () => {
    await using home = await Restarted.open('system/backup')
    const { page, gateway } = home
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Back up now' }).click()
    const restore = page.getByRole('button', { name: /^Restore the backup of/ })
    await restore.waitFor()
    const { integration } = await gateway.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
      name: 'Wall tablet',
    })
    const { home: name } = await gateway.admin.call<{ home: string }>('GET', '/status')
    await restore.click()
    await dialog.getByLabel(`To restore, type the name of this home: ${name}`).fill(name)
    await dialog.getByRole('button', { name: 'Restore this backup' }).click()
    await page.getByText(`${name} was restored to its state of`).first().waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'You are Anna' }).waitFor()
    const { integrations } = await gateway.admin.call<{ integrations: { id: string }[] }>('GET', '/integrations')
    expect(integrations.map(({ id }) => id)).not.toContain(integration.id)
  },
)

provesInBrowser('console.back', 'the offline page returns to the console by itself', async () => {
  await using home = await Restarted.open('activity')
  const { page } = home
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  await home.kill()
  await page.reload()
  await page.getByRole('heading', { name: OFFLINE }).waitFor()
  // The page has retried at least once by now.
  await page.waitForEvent('framenavigated')
  await page.getByRole('heading', { name: OFFLINE }).waitFor()
  await home.start()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  expect(page.url()).toBe(`${home.origin}/console/activity`)
})
