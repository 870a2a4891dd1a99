// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { BrowserContext, Page } from 'playwright-core'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { settled } from '#support/console/pages.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

interface Lena {
  readonly id: string
  readonly integration: string
}

let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let profile: string
let watched: WatchedPage
let page: Page
let lena: Lena

beforeAll(async () => {
  if (CHROMIUM === null) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  const member = { expose: ['room:hall'], settings: { allow_unlock: 'on', agent_access: 'on' }, opening: 'ask' }
  const made = { name: 'Lena', password: 'correct horse', member }
  lena = (await running.admin.call<{ person: Lena }>('POST', '/persons', made)).person
  const { port, caFile } = running.gateway
  profile = mkdtempSync(join(tmpdir(), 'hm-test-'))
  browser = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, profile)
  watched = await WatchedPage.open(browser)
  ;({ page } = watched)
})

afterAll(async () => {
  if (CHROMIUM === null) return
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const tile = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })

provesInBrowser('console.members', 'the pages of a member need nothing of the administrators’ API', async () => {
  await page.goto(`${visitor.origin}/console/#${await visitor.link('Lena')}`)
  await page.getByRole('heading', { name: 'Hall', exact: true }).waitFor()
  const places = page.getByRole('navigation', { name: 'Places' }).getByRole('link')
  expect(await places.allInnerTexts()).toEqual(['Home', 'Activity', 'Messages', 'You'])
  await page.getByRole('switch', { name: 'Hall light' }).click()
  await running.hasten(tile('Hall light').getByText('On', { exact: true }).waitFor())

  await places.getByText('Activity').click()
  await running.hasten(page.getByText('turned on').first().waitFor())
  await page.locator('.entry').getByText('Lena', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Hall light' }).first().click()
  await running.hasten(page.getByText(/^Hall light turned on at .*: Lena\.$/).waitFor())
  await places.getByText('Messages').click()
  await settled(page)
  await places.getByText('You').click()
  await page.getByText('Has a password.').waitFor()
  await page.getByText('This browser').waitFor()
  await page.goto(`${visitor.origin}/console/system/persons`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.member-agents', 'a member connects an agent by its code, and ends it', async () => {
  const asked = { gateway: running.gateway.serial, name: 'Claude', platform: 'Laptop' }
  const { body } = await visitor.ask({ method: 'POST', path: '/v1/pair', body: asked })
  const { code, userCode } = body as { readonly code: string; readonly userCode: string }
  await page.goto(`${visitor.origin}/console/`)
  await page.getByRole('link', { name: 'Approvals' }).click()
  await page.getByLabel('Code of your agent').fill('BBBB-BBBB')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('No request with this code is waiting.').waitFor()
  await page.getByLabel('Code of your agent').fill(userCode.toLowerCase())
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('heading', { name: '“Claude” via Laptop asks for access' }).waitFor()
  expect(await page.getByRole('button', { name: 'Deny and block' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('“Claude” now has access.').first().waitFor()
  expect((await visitor.ask({ method: 'POST', path: '/v1/pair/token', body: { code } })).status).toBe(200)
  await page.goto(`${visitor.origin}/console/me`)
  await page.getByRole('button', { name: 'End Claude' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End Claude' }).click()
  await page.getByRole('heading', { name: 'Your agents' }).waitFor({ state: 'detached' })
  expect(watched.takeProblems()).toEqual([])
})

provesInBrowser('console.member-opening', 'a door that asks opens once an administrator has confirmed', async () => {
  await page.goto(`${visitor.origin}/console/`)
  const door = page.getByRole('button', { name: 'Hold to open Front door' })
  await door.hover()
  await page.mouse.down()
  await running.hasten(tile('Front door').getByText('An administrator must confirm').waitFor())
  await page.mouse.up()
  const { confirmations } = await running.admin.call<{ confirmations: { id: string }[] }>('GET', '/confirmations')
  expect(confirmations.length).toBe(1)
  await running.admin.call('POST', `/confirmations/${confirmations[0]?.id}`, { confirm: true })
  // The clock must not run ahead of the confirmation.
  await page.waitForRequest(/control$/)
  await running.hasten(tile('Front door').getByText('Unlocked').waitFor())
  expect(watched.takeProblems().every((problem) => problem.includes('403'))).toBe(true)
})

provesInBrowser(
  'console.member-stream',
  'a changed record loads the page again, and an ended one says why',
  async () => {
    await running.admin.call('PATCH', `/integrations/${lena.integration}`, { expose: ['room:kitchen'] })
    await page.getByRole('heading', { name: 'Kitchen', exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: 'Hall', exact: true }).count()).toBe(0)
    await running.admin.call('PATCH', `/integrations/${lena.integration}`, { enabled: false })
    await page.getByRole('heading', { name: 'No access now' }).waitFor()
    const hours = [{ from: 'mon 00:00', until: 'mon 00:01' }]
    await running.admin.call('PATCH', `/integrations/${lena.integration}`, { enabled: true, hours })
    await page.reload()
    await page.getByText(/^Your access to this home has set hours\. It begins again at .*\d\d:\d\d\.$/).waitFor()
    await running.admin.call('DELETE', `/persons/${lena.id}`)
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to your home' }).waitFor()
    await page.getByRole('alert').waitFor()
  },
)

provesInBrowser(
  ['console.tablet-pin', 'console.tablets'],
  'a wall tablet added at the console opens after its PIN, and says why it ended',
  async () => {
    await page.goto(`${visitor.origin}/console/system/persons#${await visitor.link('Anna')}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a wall tablet' }).click()
    await dialog.getByLabel('Name').fill('Hall tablet')
    await dialog.getByLabel('PIN (optional)').fill('271828')
    await dialog.getByRole('button', { name: 'Add a wall tablet' }).click()
    const [, code = ''] = (await dialog.locator('code').first().innerText()).split('#')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Its link was not opened yet.').waitFor()
    watched.takeProblems()

    await page.goto(`${visitor.origin}/console/#${code}`)
    await page.getByRole('tab', { name: 'Garden' }).click()
    const places = page.getByRole('navigation', { name: 'Places' }).getByRole('link')
    expect(await places.allInnerTexts()).toEqual(['Home', 'Messages'])
    expect(await page.getByRole('button', { name: 'You are Hall tablet' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Hold to open Driveway gate' }).hover()
    await page.mouse.down()
    await dialog.getByRole('button', { name: '1', exact: true }).waitFor()
    await page.mouse.up()
    await page.keyboard.type('000000')
    await dialog.getByRole('alert').getByText('not the PIN').waitFor()
    for (const digit of '271828') await dialog.getByRole('button', { name: digit, exact: true }).click()
    await running.hasten(tile('Driveway gate').getByText(/^Open/).waitFor())
    expect(watched.takeProblems().every((problem) => /40[13]/.test(problem))).toBe(true)

    const { tablets } = await running.admin.call<{ tablets: { id: string }[] }>('GET', '/tablets')
    await running.admin.call('DELETE', `/integrations/${tablets[0]?.id}`)
    await page.getByText('Hall tablet no longer has access to this home.').waitFor()
  },
)
