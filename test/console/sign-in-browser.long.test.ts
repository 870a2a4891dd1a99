// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WatchedPage } from '#support/console/watched-page.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('signing in and out in a browser: skipped, 2 tests (HM_CHROMIUM names a Chromium)')

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

test.skipIf(!hasBrowser)('a failed sign-out shows a warning, and the next person gets their own session', async () => {
  for (const name of ['Anna', 'Ben']) await running.admin.call('POST', '/persons', { name })
  await using browser = await browserAt(running)
  const { page } = await WatchedPage.open(browser)
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.getByRole('button', { name: 'You are Anna' }).click()
  await page.route('**/admin/v1/sessions/*', (route) => route.abort())
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('The gateway did not answer, so you may still be signed in.').waitFor()
  await page.getByText('I have a one-time link').click()
  await page.getByLabel('Link or code').fill(await visitor.link('Ben'))
  await page.locator('details', { hasText: 'I have a one-time link' }).getByRole('button', { name: 'Open' }).click()
  await page.getByRole('button', { name: 'You are Ben' }).waitFor()
  expect(await page.getByText('The gateway did not answer').count()).toBe(0)
})

test.skipIf(!hasBrowser)('a sign-in link is created once, even if the connection breaks', async () => {
  await using browser = await browserAt(running)
  const { page } = await WatchedPage.open(browser)
  let cut = (): void => {}
  await page.routeWebSocket('**/admin/v1/stream', (socket) => {
    socket.connectToServer()
    cut = () => void socket.close()
  })
  let made = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/v1/links')) made += 1
  })
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.getByRole('button', { name: 'You are Anna' }).waitFor()
  await running.admin.call('POST', '/persons', { name: 'Cleo' })
  await page.goto(`${visitor.origin}/console/system/persons`)
  await page
    .locator('.card', { has: page.getByRole('heading', { name: 'Cleo' }) })
    .getByRole('button', { name: 'Create a link' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'A link for Cleo' })
  const link = await dialog.locator('code').first().innerText()
  // The page reloads its data after the reconnect.
  const readAgain = page.waitForResponse('**/admin/v1/persons')
  cut()
  await readAgain
  expect([made, await dialog.locator('code').first().innerText()]).toEqual([1, link])
})
