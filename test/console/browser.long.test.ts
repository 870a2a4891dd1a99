// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WatchedPage } from '#support/console/watched-page.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 1 test (HM_CHROMIUM names a Chromium)')

let running: TestGateway
let visitor: ConsoleVisitor

beforeAll(async () => {
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

test.skipIf(!hasBrowser)('a printed link opens the home in a browser, and switches a lamp there', async () => {
  await using browser = await browserAt(running)
  const watched = await WatchedPage.open(browser)
  const { page } = watched
  await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  const lamp = page.getByRole('switch', { name: 'Hall light', exact: true })
  await lamp.waitFor()
  const sessions = async () => (await running.admin.call<{ sessions: object[] }>('GET', '/sessions')).sessions
  expect(await sessions()).toMatchObject([{ ownDevice: false }])
  expect(page.url()).toBe(`${visitor.origin}/console/`)
  const before = await lamp.getAttribute('aria-checked')
  await lamp.click()
  const after = page.locator(
    `[role=switch][aria-label="Hall light"][aria-checked="${before === 'true' ? 'false' : 'true'}"]`,
  )
  await running.hasten(after.waitFor())
  await page
    .getByText(/^[\d.,]+\s°C/)
    .first()
    .waitFor()
  // Other fragments are no links: they cause no request and stay in the address.
  await page.goto(`${visitor.origin}/console/#page`)
  await page.reload()
  expect(page.url()).toBe(`${visitor.origin}/console/#page`)
  await lamp.waitFor()
  await page.getByRole('button', { name: /^You/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to your home' }).waitFor()
  expect(await sessions()).toEqual([])
  expect(watched.takeProblems()).toEqual([])
})
