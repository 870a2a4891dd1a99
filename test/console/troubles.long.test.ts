// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { copiesOf } from '../../src/db/core/core-copies.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { faultsOf } from '#support/console/page-faults.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { damageText } from '#support/faults/lived-home.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 4 tests of troubles (HM_CHROMIUM names a Chromium)')

/** Unit number of the demo home's hall light. */
const HALL_LIGHT = 11

let folder: string
let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let watched: WatchedPage
let page: Page

// The home was damaged while off, so it starts with an incident.
beforeAll(async () => {
  if (!hasBrowser) return
  folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
  const dataDir = join(folder, 'data')
  const before = await TestGateway.open({ dataDir, settled: false })
  while (copiesOf(join(dataDir, 'backups')).length === 0) await wait(2)
  await before[Symbol.asyncDispose]()
  damageText(join(dataDir, 'core.db'), 'rooms', 'name', (text) => `${text}\u0001`)
  running = await TestGateway.open({ dataDir })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  browser = await browserAt(running, join(folder, 'browser'))
  watched = await WatchedPage.open(browser)
  ;({ page } = watched)
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Unfolds a line of the attention list. */
async function attention(text: string | RegExp): Promise<Locator> {
  const strip = page.locator('.attention')
  await strip.waitFor()
  if ((await strip.getAttribute('open')) === null) await strip.locator('summary').click()
  const line = strip.getByRole('link', { name: text })
  await line.waitFor()
  return line
}

const tile = (name: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })

const goTo = (place: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: place, exact: true }).click()

provesInBrowser(
  'console.incidents',
  'incidents appear on the home page and under System until they are marked as read',
  async () => {
    const { incidents } = await running.admin.call<{ incidents: { what: string }[] }>('GET', '/status')
    const what = incidents[0]?.what ?? ''
    expect(what).not.toBe('')
    await (await attention(what)).click()
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Needs attention' }) })
    await card.getByText(what).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await card.getByRole('button', { name: 'Mark as read' }).click()
    await card.getByText(what).waitFor({ state: 'detached' })
    await goTo('Home')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(await page.locator('.attention').getByText(what).count()).toBe(0)
    expect(await running.admin.call('GET', '/status')).toMatchObject({ incidents: [] })
    expect(watched.takeProblems()).toEqual([])
  },
)

provesInBrowser('console.jumps', 'an answer under System settles a counter’s jump', async () => {
  const { clock, gateway } = running
  const { energy, events } = gateway.home
  energy.take('living-tv', 500_000, clock.now() - 5 * 86_400_000)
  energy.take('living-tv', 1_821_000, clock.now())
  // A changed unit makes the gateway send the status at once.
  events.emit({ kind: 'unit', unit: 'living-tv', reachable: true, at: clock.now() })
  const sentence = 'The counter of Television socket jumped by 1,321 kWh after 5 days'
  await (await attention(sentence)).click()
  await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Needs attention' }) })
  const item = card.getByRole('listitem').filter({ hasText: sentence })
  expect(await faultsOf(page)).toEqual([])
  await item.getByRole('button', { name: 'The meter was replaced' }).click()
  await item.waitFor({ state: 'detached' })
  expect(await running.admin.call('GET', '/energy/jumps')).toEqual({ jumps: [] })
  const { entries } = await running.admin.call<{ entries: { what: string; cause: object }[] }>(
    'GET',
    '/activity?device=living-tv&kind=edited',
  )
  expect(entries).toMatchObject([{ what: expect.stringContaining('it is another meter'), cause: { name: 'Anna' } }])
  expect(watched.takeProblems()).toEqual([])
  await goTo('Home')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
})

provesInBrowser('console.silent', 'a silent unit is marked on all pages, and recovers by itself', async () => {
  running.sim.house.cutMains([HALL_LIGHT])
  const silent = tile('Hall light').getByText('Does not answer', { exact: true })
  // The adapter marks a unit lost after several unanswered requests.
  for (let tries = 1; (await silent.count()) === 0; tries += 1) {
    expect(tries).toBeLessThan(9)
    const answered = page.waitForResponse((response) => response.url().endsWith('/control'))
    await page.getByRole('switch', { name: 'Hall light', exact: true }).click()
    await running.hasten(answered)
  }
  expect(await faultsOf(page)).toEqual([])
  await (await attention('Hall light does not answer')).click()
  await page.getByRole('heading', { level: 1, name: 'Hall light' }).waitFor()
  await page.getByText('Check its power').waitFor()
  await page.getByText(/^last report/).waitFor()
  expect(await faultsOf(page)).toEqual([])

  await goTo('System')
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Needs attention' }) })
  await card.getByRole('link', { name: /Hall light/ }).waitFor()
  await page.getByRole('list', { name: 'Units that do not answer' }).getByRole('link', { name: 'Hall light' }).waitFor()
  running.sim.house.returnMains([HALL_LIGHT])
  await running.hasten(page.getByText('The gateway works normally.').waitFor())
  await goTo('Home')
  await tile('Hall light').getByText('Off', { exact: true }).waitFor()
  expect(await page.getByText('Hall light does not answer').count()).toBe(0)
  // The browser also reports the unanswered requests.
  expect(watched.takeProblems().filter((problem) => !problem.includes('504'))).toEqual([])
})

provesInBrowser('console.new-ca', 'the page creates a new CA and shows who must trust it again', async () => {
  await page.goto('about:blank')
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.goto(`${visitor.origin}/console/system/certificates`)
  const authority = page.locator('.card', { has: page.getByRole('heading', { name: 'Certificate authority' }) })
  await authority.getByText(running.gateway.fingerprint.slice(0, 11)).waitFor()
  const old = running.gateway.fingerprint
  await authority.getByRole('button', { name: 'New CA…' }).click()
  await page.getByRole('button', { name: 'Create a new CA' }).click()
  await page.locator('.toast', { hasText: 'The gateway has a new CA.' }).waitFor()
  const { ca } = await running.admin.call<{ ca: { fingerprint: string } }>('GET', '/tls')
  expect(ca.fingerprint).not.toBe(old)
  await authority.getByText(ca.fingerprint.slice(0, 11)).waitFor()

  // Open connections continue, but they no longer prove trust.
  await page.getByText('The gateway has a new CA since you opened this page.').waitFor()
  expect(await page.getByText('Verified', { exact: true }).count()).toBe(0)
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('link', { name: 'Trust the gateway on a device' }).click()
  await page.getByRole('heading', { level: 1, name: 'Trust this gateway' }).waitFor()
  await page.getByText(ca.fingerprint.slice(0, 11)).waitFor()
  expect(await page.getByText(old.slice(0, 11)).count()).toBe(0)
  await page.getByText('Not verified').waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(watched.takeProblems()).toEqual([])
})
