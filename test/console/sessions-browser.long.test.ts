// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 8 tests of sessions (HM_CHROMIUM names a Chromium)')

const PASSWORD = 'correct horse battery'
const clock = new ManualClock(Date.now())
let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let profile: string
let page: Page

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock })
  visitor = new ConsoleVisitor(running)
  for (const name of ['Anna', 'Ben']) await running.admin.call('POST', '/persons', { name, password: PASSWORD })
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

beforeEach(async () => {
  if (!hasBrowser) return
  profile = mkdtempSync(join(tmpdir(), 'hm-test-'))
  const { port, caFile } = running.gateway
  browser = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, profile)
  page = await browser.newPage()
})

afterEach(async () => {
  if (!hasBrowser) return
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

/** Signs in by a link in the address of a page. */
async function comesIn(name: string, path: string, on: Page = page): Promise<void> {
  await on.goto(`${visitor.origin}/console/${path}#${await visitor.link(name)}`)
  await on.getByRole('button', { name: `You are ${name}` }).waitFor()
}

/** Ends all sessions of a person from elsewhere. */
async function endedElsewhere(name: string): Promise<void> {
  const { sessions } = await running.admin.call<{ sessions: { id: string; name: string }[] }>('GET', '/sessions')
  for (const { id } of sessions.filter((session) => session.name === name))
    await running.admin.call('DELETE', `/sessions/${id}`)
  await page.getByRole('heading', { name: 'Sign in to your home' }).waitFor()
}

/** Signs in on the current page, without a reload. */
async function signsIn(name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button('Sign in').click()
  await button(`You are ${name}`).waitFor()
}

const namesOf = async (): Promise<string[]> =>
  (await running.admin.call<{ persons: { name: string }[] }>('GET', '/persons')).persons
    .map(({ name }) => name)
    .toSorted()

test.skipIf(!hasBrowser)('a change that waits for a proof is cancelled with its session', async () => {
  await comesIn('Anna', 'system/persons')
  clock.advance(FRESH_MS)
  await button('Add a person').click()
  await page.getByLabel('Name', { exact: true }).fill('Carl')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click()
  await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor()
  await endedElsewhere('Anna')
  await signsIn('Ben')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await namesOf()).toEqual(['Anna', 'Ben'])
})

test.skipIf(!hasBrowser)('an answer after the end of its session causes no request for the next person', async () => {
  const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Assistant',
    expose: ['all'],
  })
  await comesIn('Anna', `access/${integration.id}`)
  const [isAsked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(`**/admin/v1/integrations/${integration.id}`, async (route) => {
    const json = await running.admin.call<object>('PATCH', `/integrations/${integration.id}`, {
      settings: { agent_access: 'on' },
    })
    isAsked.resolve()
    await mayAnswer.promise
    await route.fulfill({ json })
  })
  // The page first turns agent access on, then creates the credential.
  await button('Connect a program').click()
  await button('Create a credential').click()
  await isAsked.promise
  await endedElsewhere('Anna')
  await signsIn('Ben')
  const answered = page.waitForResponse(`**/admin/v1/integrations/${integration.id}`)
  mayAnswer.resolve()
  await answered
  await page.getByRole('heading', { name: 'Assistant' }).waitFor()
  expect((await running.admin.call<{ agents: object[] }>('GET', '/agents')).agents).toEqual([])
})

provesInBrowser('console.fresh-proofs', 'accepting an agent for good asks for the password', async () => {
  const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Agents',
    settings: { agent_access: 'on' },
  })
  await comesIn('Anna', 'approvals')
  clock.advance(FRESH_MS)
  const record = integration.id
  const body = { gateway: running.gateway.serial, name: 'Claude Code', platform: 'Laptop', record }
  const { userCode } = (await visitor.ask({ method: 'POST', path: '/v1/pair', body })).body as { userCode: string }
  const card = page.getByRole('article').filter({ hasText: userCode })
  await card.getByRole('button', { name: 'Accept' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.waitFor()
  expect((await running.admin.call<{ requests: object[] }>('GET', '/agents/requests')).requests).toHaveLength(1)
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await card.waitFor({ state: 'detached' })
  expect((await running.admin.call<{ requests: object[] }>('GET', '/agents/requests')).requests).toEqual([])
})

provesInBrowser('console.fresh-proofs-opening', 'a refused command runs after the proof', async () => {
  const lit = { on: true, bri: 40, mode: 'manual' } as const
  running.gateway.home.live.confirm('dimmer', lit, 'touch', { source: 'unit', name: 'test' })
  await comesIn('Anna', '')
  const calls: string[] = []
  await page.route('**/admin/home/v1/devices/*/control', async (route) => {
    calls.push(route.request().postData() ?? '')
    const error = { code: 'sign_in_again', message: 'Show your password once more.' }
    await (calls.length === 1 ? route.fulfill({ status: 403, json: { error } }) : route.continue())
  })
  await page.getByRole('switch', { name: 'dimmer', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => calls).toHaveLength(2)
  expect(calls[1]).toBe(calls[0])
})

test.skipIf(!hasBrowser)('a sign-in by link asks whether this is the person’s own device', async () => {
  await comesIn('Anna', '')
  await page.getByText('Is this your own device?').waitFor()
  await button('Stay signed in').click()
  await page.getByText('Is this your own device?').waitFor({ state: 'detached' })
  await page.goto(`${visitor.origin}/console/system/sessions`)
  const own = page.getByRole('switch', { name: 'This is my own device: stay signed in' })
  expect(await own.getAttribute('aria-checked')).toBe('true')
  await own.click()
  const card = page.getByRole('listitem').filter({ has: own })
  await card.getByText('ends after 12 hours without use').waitFor()
  const cookies = await browser.cookies()
  expect(cookies.find(({ name }) => name === visitor.cookieName)?.expires).toBe(-1)
})

test.skipIf(!hasBrowser)('the console reports an unreachable gateway and caches no data of the home', async () => {
  const other = await TestGateway.open({ ...ONE_UNIT, settled: false })
  const { port, caFile } = other.gateway
  using stranger = new ConsoleVisitor(other)
  const folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
  await using own = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, folder)
  const tab = await own.newPage()
  await tab.goto(`${stranger.origin}/console/#${await stranger.link()}`)
  await tab.getByRole('navigation', { name: 'Places' }).waitFor()
  await tab.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await tab.goto(`${stranger.origin}/console/activity`)
  await tab.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  const cached = await tab.evaluate<string[]>(`(async () => {
    const names = await caches.keys()
    const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return all.flat().map(({ url }) => new URL(url).pathname)
  })()`)
  expect(cached.toSorted()).toEqual([
    expect.stringMatching(/^\/console\/assets\/style-\w+\.css$/),
    '/console/offline.html',
  ])
  await other[Symbol.asyncDispose]()
  await tab.goto(`${stranger.origin}/console/activity`)
  await tab.getByRole('heading', { name: 'The gateway cannot be reached' }).waitFor()
  expect(await tab.evaluate<string>(`getComputedStyle(document.querySelector('main')).maxWidth`)).toBe('440px')
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(!hasBrowser)('a sign-in or sign-out in one tab restarts the other tabs', async () => {
  await comesIn('Anna', 'system')
  await comesIn('Ben', '', await browser.newPage())
  await button('You are Ben').waitFor()
  // A sign-out in one tab signs out all.
  await button('You are Ben').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const tab of browser.pages().filter((opened) => opened.url().includes('/console')))
    await tab.getByRole('heading', { name: 'Sign in to your home' }).waitFor()
  expect(await page.evaluate("localStorage.getItem('hm-half')")).toBeNull()
})

provesInBrowser('console.end-reasons', 'a browser that was signed out from elsewhere shows by whom', async () => {
  await comesIn('Anna', 'system')
  await endedElsewhere('Anna')
  const reason = page.getByRole('alert').filter({ hasText: 'This session was ended by administrator (command line).' })
  await reason.waitFor()
  // A reload, as on a phone that was in a pocket.
  await page.reload()
  await reason.waitFor()
  await signsIn('Ben')
  await button('You are Ben').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to your home' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

provesInBrowser('console.first-account', 'the first person can create an account after a long visit', async () => {
  const own = new ManualClock(Date.now())
  await using home = await TestGateway.open({ ...ONE_UNIT, settled: false, clock: own })
  using first = new ConsoleVisitor(home)
  const { port, caFile } = home.gateway
  const folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
  await using other = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, folder)
  const tab = await other.newPage()
  await tab.goto(`${first.origin}/console/system/persons#${await first.link()}`)
  await tab.getByRole('heading', { level: 1 }).waitFor()
  own.advance(FRESH_MS * 2)
  await tab.getByRole('button', { name: 'Create account' }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Anna')
  await dialog.getByRole('radio', { name: 'Password' }).check({ force: true })
  await dialog.locator('input[name=password]').fill(PASSWORD)
  await dialog.locator('button[type=submit]').click()
  await tab.getByRole('button', { name: 'You are Anna', exact: true }).waitFor()
  rmSync(folder, { recursive: true, force: true })
})
