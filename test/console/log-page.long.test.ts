// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLogbook } from '../../src/operations/logbook.ts'
import { faultsOf } from '#support/console/page-faults.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 2 tests (HM_CHROMIUM names a Chromium)')

const { log, logbook } = openLogbook('info', () => {})
let running: TestGateway
let visitor: ConsoleVisitor

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, log, logbook })
  visitor = new ConsoleVisitor(running)
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

test.skipIf(!hasBrowser)('the log is live, pauses while somebody reads, and its level can change', async () => {
  await using browser = await browserAt(running)
  const watched = await WatchedPage.open(browser)
  const { page } = watched
  for (let at = 1; at <= 150; at += 1) log.info({ at }, `Line ${at}.`)
  await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  await page.locator('h1').first().waitFor()
  await page.goto(`${visitor.origin}/console/system/log`)
  const lines = page.locator('.log li')
  await page.getByText('Line 150.').waitFor()
  expect(await lines.count()).toBe(100)

  log.warn({ unit: 'hall-light' }, 'A lamp is loose.')
  await page.getByText('A lamp is loose.').waitFor()
  await page.getByText('A lamp is loose.').click()
  await page.getByText('"unit": "hall-light"').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 780 })
  expect(await faultsOf(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await faultsOf(page, 'colours')).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: /more/i }).click()
  await page.getByText('Line 1.', { exact: true }).waitFor()

  // The reader has scrolled down, so new lines wait behind a button.
  log.warn({}, 'Another lamp is loose.')
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect(await page.getByText('Another lamp is loose.').count()).toBe(0)
  await page.getByRole('button', { name: '1 new' }).click()
  await page.getByText('Another lamp is loose.').waitFor()

  // The old lines stay until the new ones have loaded.
  await page.evaluate('scrollTo(0, 0)')
  const wanted = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  await page.route('**/admin/v1/log?level=warn*', async (route) => {
    wanted.resolve()
    await answered.promise
    await route.continue()
  })
  await page.getByRole('radio', { name: 'Warnings' }).check({ force: true })
  await wanted.promise
  expect(await page.getByText('Line 150.').count()).toBe(1)
  answered.resolve()
  await page.getByText('Line 150.').waitFor({ state: 'detached' })
  await expect.poll(() => lines.count()).toBe(2)

  await page.getByLabel('Log level until the next start').selectOption('error')
  await expect.poll(() => logbook.level()).toBe('error')
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('an empty log explains its level and offers a higher one', async () => {
  const quiet = openLogbook('warn', () => {})
  await using healthy = await TestGateway.open({ ...ONE_UNIT, log: quiet.log, logbook: quiet.logbook })
  using guest = new ConsoleVisitor(healthy)
  await using browser = await browserAt(healthy)
  const { page } = await WatchedPage.open(browser)
  await page.goto(`${guest.origin}/console/#${await guest.link()}`)
  await page.locator('h1').first().waitFor()
  await page.goto(`${guest.origin}/console/system/log`)
  await page.getByText('The gateway logs only warnings and errors, and there are none.').waitFor()
  await page.getByRole('button', { name: 'Log everything' }).click()
  await expect.poll(() => quiet.logbook.level()).toBe('debug')
  quiet.log.info({}, 'A lamp was counted.')
  await page.getByText('A lamp was counted.').waitFor()
})
