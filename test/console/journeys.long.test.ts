// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { KeyboardPerson } from '#support/console/keyboard-person.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 5 journeys by keyboard (HM_CHROMIUM names a Chromium)')

let running: TestGateway
let visitor: ConsoleVisitor
let profile: string
let browser: BrowserContext
let watched: WatchedPage
let page: Page
let anna: KeyboardPerson

beforeAll(async () => {
  if (!hasBrowser) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  for (const name of ['Anna', 'Ben']) await running.admin.call('POST', '/persons', { name })
  profile = mkdtempSync(join(tmpdir(), 'hm-test-'))
  const { port, caFile } = running.gateway
  browser = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, profile)
  watched = await WatchedPage.open(browser)
  ;({ page } = watched)
  anna = new KeyboardPerson(page)
})

// Every journey starts with its own link, so dangerous changes need no password.
beforeEach(async () => {
  if (!hasBrowser) return
  await page.goto('about:blank')
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
})

afterEach(() => {
  if (hasBrowser) expect(watched.takeProblems()).toEqual([])
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** Waits for the page with this title, which takes the focus. */
async function arrived(title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await expect.poll(() => anna.focused()).toBe(`h1 ${title}`)
}

provesInBrowser('console.keyboard', 'the keyboard alone can switch a lamp', async () => {
  await anna.to('switch Hall light')
  await anna.press('Space')
  await running.hasten(page.locator('[role=switch][aria-label="Hall light"][aria-checked=true]').waitFor())
  expect(await anna.focused()).toBe('switch Hall light')
})

provesInBrowser('console.keyboard', 'the keyboard alone can find the cause of a change', async () => {
  await anna.enter('a Activity')
  await arrived('Activity')
  await page.getByText('Hall light turned on').first().waitFor()
  await anna.enter('button Why?')
  await page.getByText(/Hall light turned on at .*: Anna\./).waitFor()
  expect(await anna.focused()).toBe('button Why?')
})

provesInBrowser('console.keyboard', 'the keyboard alone can create an integration and a key', async () => {
  await anna.enter('a Access')
  await arrived('Access')
  await anna.enter('button New integration')
  await page.getByRole('dialog').waitFor()
  await anna.to('input Name')
  await anna.type('Wall tablet')
  await anna.press('Enter')
  await page.getByRole('heading', { name: 'Wall tablet' }).waitFor()
  await anna.enter('button Connect a program')
  await page.getByRole('dialog').waitFor()
  await page.getByRole('radio', { name: 'Claude' }).waitFor()
  while ((await anna.focused()).startsWith('button')) await anna.press('Tab')
  await anna.press('ArrowDown', 'ArrowDown')
  await anna.enter('button Create a key')
  await page
    .getByRole('dialog')
    .getByText(/^hm_key_/)
    .first()
    .waitFor()
  await anna.enter('button I have stored it')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await running.admin.call('GET', '/keys')).toMatchObject({ keys: [{ kind: 'key', state: 'active' }] })
})

provesInBrowser('console.keyboard', 'the keyboard alone can accept an agent', async () => {
  await running.admin.call('POST', '/integrations', { name: 'Helper', settings: { agent_access: 'on' } })
  const wish = { gateway: running.gateway.serial, name: 'Claude Code', platform: 'Laptop' }
  const paired = await visitor.ask({ method: 'POST', path: '/v1/pair', body: wish })
  const { userCode, code } = paired.body as { userCode: string; code: string }
  await anna.enter('a Approvals, 1 waiting')
  await arrived('Approvals')
  await page.getByText(userCode).first().waitFor()
  await page.getByRole('button', { name: 'Accept', exact: true, disabled: false }).waitFor()
  await anna.enter('button Accept')
  await page.getByRole('link', { name: 'Approvals', exact: true }).waitFor()
  const token = await visitor.ask({ method: 'POST', path: '/v1/pair/token', body: { code } })
  expect(token.status).toBe(200)
})

provesInBrowser('console.keyboard', 'the keyboard alone can end another session', async () => {
  const phone = { headers: { 'user-agent': 'Mozilla/5.0 (iPhone) FxiOS/140.0' } }
  const other = await visitor.signIn({ link: await visitor.link('Ben') }, phone)
  const { session } = other.body as { session: string }
  await anna.enter('button You are Anna')
  await anna.enter('a Signed-in devices')
  await arrived('System')
  const card = page.getByRole('heading', { name: 'Firefox on iPhone', exact: true })
  await card.waitFor()
  await anna.enter('button Sign out Firefox on iPhone of Ben')
  await page.getByRole('dialog').waitFor()
  await anna.enter('button Sign out Firefox on iPhone of Ben')
  await card.waitFor({ state: 'detached' })
  const { sessions } = await running.admin.call<{ sessions: { id: string }[] }>('GET', '/sessions')
  expect(sessions.map(({ id }) => id)).not.toContain(session)
})
