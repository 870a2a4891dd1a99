// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 4 tests of the page Access (HM_CHROMIUM names a Chromium)')

let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let profile: string
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  if (!hasBrowser) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  profile = mkdtempSync(join(tmpdir(), 'hm-test-'))
  const { port, caFile } = running.gateway
  browser = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, profile)
  watched = await WatchedPage.open(browser)
  page = watched.page
  await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  await page.getByRole('link', { name: 'Access' }).click()
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

interface Saved {
  readonly id: string
  readonly name: string
  readonly expose: string[]
  readonly settings: Readonly<Record<string, string>>
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}
const saved = async (name: string): Promise<Saved> => {
  const { integrations } = await running.admin.call<{ integrations: Saved[] }>('GET', '/integrations')
  return integrations.find((integration) => integration.name === name)!
}

/** Names of the units and gangs that a token sees; modules count by their gangs. */
async function namesSeen(token: string): Promise<string[]> {
  const { text } = await visitor.ask({ path: '/v1/house', headers: { authorization: `Bearer ${token}` } })
  const names: string[] = []
  JSON.parse(text, (_key, value: { kind?: string; name: string; gang?: number } | null) => {
    if (value?.kind === 'unit' || value?.gang !== undefined) names.push(value.name)
    return value
  })
  return names.toSorted()
}

provesInBrowser('console.picked', 'a new key sees the things that were picked by keyboard and saved', async () => {
  await button('New integration').click()
  await dialog().getByLabel('Name').fill('Wall tablet')
  await button('Create').click()
  await page.getByRole('heading', { name: 'Wall tablet' }).waitFor()

  await page.getByRole('radio', { name: 'Only what I pick' }).check()
  await page.getByText('Pick at least one thing').waitFor()
  // A focused row handles the keys, however it got the focus.
  const upstairs = page.getByRole('treeitem', { name: 'First floor' })
  await upstairs.focus()
  await press('Space')
  expect(await upstairs.getAttribute('aria-checked')).toBe('true')
  await press('Space')
  await page.getByRole('treeitem', { name: 'Ground floor' }).focus()
  // Ticks the ground floor, then unticks the third thing in the living room.
  await press('Space', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowDown')
  expect(await page.locator(':focus').getAttribute('aria-checked')).toBe('true')
  await press('Space')
  expect(await page.locator(':focus').getAttribute('aria-checked')).toBe('false')
  expect(await page.getByRole('treeitem', { name: 'Ground floor' }).getAttribute('aria-checked')).toBe('mixed')
  await press('End', 'ArrowRight', 'ArrowDown', 'Space')
  await page.getByText(/things? disappear/).waitFor()
  await button('Preview').click()
  await dialog().getByText('after you save').waitFor()
  await dialog().locator('dt').first().waitFor()
  const foretold = (await dialog().locator('dt').allTextContents()).toSorted()
  // A gang stands in its own room, not in its module's.
  const inCloakroom = dialog().locator('xpath=.//h3[.="Cloakroom"]/following::dl[1]//dt')
  expect(await inCloakroom.allTextContents()).toEqual(['Cloakroom light'])
  await press('Escape')
  await button('Save').click()
  await page.getByText('Wall tablet was saved.').first().waitFor()
  await button('Save').waitFor({ state: 'detached' })

  await button('Connect a program').click()
  await dialog().getByText('curl', { exact: true }).click()
  await button('Create a key').click()
  const token = (await dialog().getByLabel('Token', { exact: true }).textContent()) ?? ''
  // Only the button closes it, although Chromium closes other dialogs at the second Escape.
  await press('Escape', 'Escape')
  expect(await dialog().getByLabel('Ready to paste', { exact: true }).textContent()).toContain(`Bearer ${token}`)
  await dialog().getByText('as a QR code').click()
  await dialog().getByRole('img', { name: 'QR code' }).waitFor()
  await button('I have stored it').click()
  expect(foretold.length).toBeGreaterThan(5)
  expect(foretold).toEqual(await namesSeen(token))
  await page.getByText(/last used .* at home/).waitFor()

  await button('Add hours').click()
  await page.getByLabel('Day, from').selectOption('mon')
  await button('Save').click()
  await button('Save').waitFor({ state: 'detached' })
  const { integrations } = await running.admin.call<{ integrations: { hours: object[] }[] }>('GET', '/integrations')
  expect(integrations.at(-1)?.hours).toEqual([{ from: 'mon 16:00', until: 'sun 20:00' }])
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.conflicts', 'the page shows another person’s change, and can keep both changes', async () => {
  const { id, expose } = await saved('Wall tablet')
  await page.getByRole('radio', { name: 'Yes', exact: true }).check()
  await page.getByText('Unlock: It can open locks and gates').waitFor()
  await running.admin.call('PATCH', `/integrations/${id}`, { name: 'Tablet', expose: [...expose, 'room:bedroom'] })
  await page.getByRole('heading', { name: 'Tablet', exact: true }).waitFor()
  await page.getByText('Picked: Bedroom').waitFor()
  expect(await button('Save').count()).toBe(0)
  await button('Keep both changes').click()
  await button('Save').click()
  await page.getByText('Tablet was saved.', { exact: true }).first().waitFor()
  const now = await saved('Tablet')
  expect(now.settings['allow_unlock']).toBe('on')
  expect(now.expose.toSorted()).toEqual([...expose, 'room:bedroom'].toSorted())
  await button('Undo').click()
  await expect.poll(async () => (await saved('Tablet')).settings['allow_unlock']).toBe('off')
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.conflicts', 'undoing a rename does not overwrite another person’s change', async () => {
  const { id } = await saved('Tablet')
  await button('Rename').click()
  await dialog().getByLabel('Name').fill('Wall')
  await dialog().getByRole('button', { name: 'Rename' }).click()
  await page.getByText('Renamed to Wall.').first().waitFor()
  await running.admin.call('PATCH', `/integrations/${id}`, { name: 'Kitchen wall' })
  await button('Undo').click()
  await page.getByText('It was changed meanwhile.').first().waitFor()
  expect(await saved('Kitchen wall')).toMatchObject({ id })
  expect(watched.takeProblems().filter((wrong) => !wrong.includes('409'))).toEqual([])
  await running.admin.call('PATCH', `/integrations/${id}`, { name: 'Tablet' })
  await page.getByRole('heading', { name: 'Tablet', exact: true }).waitFor()
})

test.skipIf(!hasBrowser)('the dialogs count affected programs before a revocation or deletion', async () => {
  const { id } = await saved('Tablet')
  await running.admin.call('POST', '/keys', { integration: id, name: 'kitchen' })
  await button('Revoke kitchen').click()
  await dialog().getByText('1 credential stops working').waitFor()
  await dialog().getByRole('button', { name: 'Revoke kitchen' }).click()
  await page.getByText('kitchen was revoked.').first().waitFor()
  await button('Delete').click()
  await dialog().getByText('1 credential stops working').waitFor()
  await dialog().getByRole('button', { name: 'Delete Tablet' }).click()
  await page.getByRole('heading', { name: 'Access' }).waitFor()
  await page.getByText('Tablet was deleted.').first().waitFor()
  expect(await saved('Tablet')).toBeUndefined()
  expect(watched.takeProblems()).toEqual([])
})
