// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
/** Id of the integration Dashboard. */
let integration: string
let watched: WatchedPage
/** Switches a device of the demo home as Dashboard. */
let power: (local: string, on: boolean) => Promise<void>
const profile = mkdtempSync(join(tmpdir(), 'hm-browser-'))

beforeAll(async () => {
  if (!hasBrowser) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  const made = <T>(path: string, body: object): Promise<T> => running.admin.call<T & object>('POST', path, body)
  const program = await made<{ integration: { id: string } }>('/integrations', { name: 'Dashboard', expose: ['all'] })
  integration = program.integration.id
  const { token } = await made<{ token: string }>('/keys', { integration })
  power = async (local, on) => {
    const path = `/v1/devices/${running.gateway.serial}:${integration}:${local}/control`
    const headers = { authorization: `Bearer ${token}` }
    const body = { op: 'set_power', args: { on } }
    const answered = await running.hasten(visitor.ask({ method: 'POST', path, headers, body }))
    expect(answered.status, answered.text).toBe(200)
  }
  browser = await browserAt(running, profile)
  watched = await WatchedPage.open(browser)
  await watched.page.goto(`${visitor.origin}/console/activity#${await visitor.link()}`)
  await watched.page.getByRole('main').waitFor()
})

afterAll(async () => {
  if (hasBrowser) await browser.close()
  rmSync(profile, { recursive: true, force: true })
  if (!hasBrowser) return
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

provesInBrowser(
  'console.log',
  'new entries show their cause, wait while somebody reads, and can be explained',
  async () => {
    const { page } = watched
    const entries = page.getByRole('listitem')
    await power('hall-light', true)
    const on = entries.filter({ hasText: 'Hall light turned on' })
    await on.filter({ hasText: 'API: Dashboard' }).waitFor()

    // The pointer is over the list, so new entries wait behind a button.
    await on.hover()
    const before = await entries.count()
    await power('hall-light', false)
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await entries.count()).toBe(before)
    await page.getByRole('button', { name: '1 new' }).click()
    await entries.filter({ hasText: 'Hall light turned off' }).waitFor()

    // A refusal links to its permission.
    const { history } = running.gateway.stores
    history.activity.record({
      at: running.clock.now(),
      kind: 'refused',
      subject: { kind: 'device', id: 'front-door' },
      what: 'open refused: its author may not open',
      cause: { source: 'automation', name: 'Come home', by: { source: 'unit', name: 'motion', ref: 'landing-sensor' } },
      data: { integration },
    })
    const refused = entries.filter({ hasText: 'Front door: open refused' })
    await refused.getByText('motion at Landing sensor').waitFor()
    expect(await refused.getByRole('link', { name: 'Change its permissions' }).getAttribute('href')).toBe(
      `/console/go/integrations.record?integration=${integration}`,
    )

    const why = on.getByRole('button', { name: 'Why?' })
    await why.click()
    await on.getByText(/Hall light turned on at .*: API: Dashboard/).waitFor()
    expect(await why.getAttribute('aria-expanded')).toBe('true')
    await on.getByRole('link', { name: 'Hall light' }).click()
    await page.waitForURL(/\/console\/device\/.*hall-light$/)
    expect(watched.takeProblems()).toEqual([])
  },
)

test.skipIf(!hasBrowser)(
  'room and kind filter the log, and so does the address; live entries match the filter',
  async () => {
    const { page } = watched
    await page.goto(`${visitor.origin}/console/activity`)
    const entries = page.getByRole('listitem')
    await page.getByLabel('Room').selectOption('Hall')
    await page.waitForURL(/room=hall/)
    await entries.filter({ hasText: 'integration Dashboard created' }).waitFor({ state: 'detached' })
    await entries.filter({ hasText: 'Hall light turned off' }).waitFor()
    await page.mouse.move(0, 0)
    await power('study-light', true)
    await power('hall-light', true)
    await entries.filter({ hasText: 'Hall light turned on' }).nth(1).waitFor()
    expect(await entries.filter({ hasText: 'Study light' }).count()).toBe(0)
    await page.getByLabel('What').selectOption('Failures')
    await page.getByText('No entry matches the filter.').waitFor()
    await page.goBack()
    await entries.filter({ hasText: 'Hall light turned on' }).first().waitFor()
    await page.getByRole('link', { name: 'Show everything' }).click()
    await entries.filter({ hasText: 'Study light turned on' }).waitFor()
    expect(watched.takeProblems()).toEqual([])
  },
)

provesInBrowser('console.log', 'repeated detections form one row, which unfolds and grows live', async () => {
  const { page } = watched
  await page.goto(`${visitor.origin}/console/activity?kind=detection&device=landing-sensor`)
  const { history } = running.gateway.stores
  const detected = (): void => {
    const subject = { kind: 'device', id: 'landing-sensor' } as const
    const cause = { source: 'unit', name: 'unit' } as const
    history.activity.record({ at: running.clock.now(), kind: 'detection', subject, what: 'motion detected', cause })
  }
  const rows = page.locator('.day > ol > li')
  const times = page.getByRole('button', { name: /times since \d\d:\d\d$/ }).first()
  const count = async (): Promise<number> => Number((await times.textContent())?.split(' ')[0])
  await page.mouse.move(0, 0)
  for (let at = 0; at < 3; at += 1) detected()
  await times.waitFor()
  await expect.poll(count).toBeGreaterThanOrEqual(3)
  const [rowCount, entryCount] = [await rows.count(), await count()]

  // By keyboard, with the names for screen readers.
  await times.focus()
  await page.keyboard.press('Enter')
  expect(await times.getAttribute('aria-expanded')).toBe('true')
  await expect.poll(() => page.locator('.earlier > li').count()).toBe(entryCount - 1)
  await times.blur()
  await page.evaluate('scrollTo(0, 0)')
  detected()
  await expect.poll(count).toBe(entryCount + 1)
  expect(await times.getAttribute('aria-expanded')).toBe('true')
  expect(await rows.count()).toBe(rowCount)
  await times.press('Enter')
  expect(await page.locator('.earlier > li').count()).toBe(0)
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('older entries load page by page, up to the chosen day', async () => {
  const { page } = watched
  for (let count = 0; count < 60; count += 1)
    await running.admin.call('POST', '/integrations', { name: `Program ${count}` })
  await page.goto(`${visitor.origin}/console/activity?kind=access`)
  const entries = page.getByRole('listitem')
  await entries.filter({ hasText: 'Program 59' }).waitFor()
  expect(await entries.count()).toBe(50)
  await page.getByRole('button', { name: /^Show entries before/ }).click()
  await entries.filter({ hasText: 'Program 0' }).first().waitFor()
  await page.goto(`${visitor.origin}/console/activity?until=2020-02-29`)
  await page.getByText('No entry matches the filter.').waitFor()
  expect(watched.takeProblems()).toEqual([])
})
