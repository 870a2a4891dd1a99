// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 4 tests (HM_CHROMIUM names a Chromium)')

let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let watched: WatchedPage
let page: Page
const profile = mkdtempSync(join(tmpdir(), 'hm-browser-'))

beforeAll(async () => {
  if (!hasBrowser) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  browser = await browserAt(running, profile)
  watched = await WatchedPage.open(browser)
  ;({ page } = watched)
  await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  await page.getByRole('heading', { name: 'Hall', exact: true }).waitFor()
})

afterAll(async () => {
  if (hasBrowser) await browser.close()
  rmSync(profile, { recursive: true, force: true })
  if (!hasBrowser) return
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** Opens the page of a device through the search. */
async function goTo(device: string): Promise<void> {
  await page.getByRole('button', { name: /^Search/ }).click()
  await page.getByRole('searchbox').fill(device)
  await page.getByRole('dialog').getByRole('link', { name: device }).first().click()
  await page.getByRole('heading', { level: 1, name: device }).waitFor()
}

provesInBrowser('console.why', 'a module’s own schedule names its gang', async () => {
  const own = () => running.admin.call<{ schedules: object[] }>('GET', '/devices/entrance-panel/intents')
  await running.hasten(expect.poll(async () => (await own()).schedules.length, { timeout: 60_000 }).toBeGreaterThan(0))
  await goTo('Porch lamp')
  await page.getByText('Turn on at 18:30', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Entrance panel' }).click()
  await page.getByText('Porch lamp: turn on at 18:30', { exact: true }).waitFor()
})

provesInBrowser('console.why', 'buttons and recent events of a remote use the same key names', async () => {
  await goTo('Television and stereo')
  await page.getByText('No key sent yet').waitFor()
  await running.hasten(
    Promise.all([
      page.getByRole('button', { name: 'Volume up', exact: true }).click(),
      page.getByText('Last key: Volume up').waitFor(),
      page.locator('.happened').getByText('key volume up sent').first().waitFor(),
    ]),
  )
})

provesInBrowser('console.why', 'a sensor has one row per value', async () => {
  await goTo('Living room climate')
  const rows = page.locator('.measures > div')
  await rows.first().waitFor()
  expect(await rows.locator('dt').allTextContents()).toEqual(['Temperature', 'Humidity', 'Light', 'CO₂'])
  const values = await rows.locator('dd').allTextContents()
  expect(values.map((value) => value.replace(/^[\d.,]+\s/, ''))).toEqual(['°C', '%', 'lx', 'ppm'])
})

provesInBrowser('console.why', 'room and floor link to the device’s place, and phones fold recent events', async () => {
  await page.setViewportSize({ width: 360, height: 780 })
  await goTo('Television and stereo')
  const past = page.locator('details', { hasText: 'Recent events' })
  await past.waitFor()
  expect(await past.getAttribute('open')).toBeNull()
  await page.setViewportSize({ width: 1280, height: 900 })
  const place = page.locator('.whereabouts')
  await goTo('Bedroom light')
  await place.getByRole('link', { name: 'First floor' }).click()
  await page.locator('[role=tab][aria-selected=true]', { hasText: 'First floor' }).waitFor()
  await goTo('Hall light')
  await place.getByRole('link', { name: 'Hall', exact: true }).click()
  await page.getByRole('heading', { level: 2, name: 'Hall', exact: true }).waitFor()
  expect(watched.takeProblems()).toEqual([])
})
