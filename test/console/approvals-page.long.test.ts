// @module-tag long
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { APP_ACTIONS } from '#support/gateway/app-actions.ts'
import { type RawAnswer, trusting } from '#support/gateway/callers.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 4 tests (HM_CHROMIUM names a Chromium)')

let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let integration: string
/** Profile folder of the browser, for all tests of this file. */
const profile = mkdtempSync(join(tmpdir(), 'hm-browser-'))

beforeAll(async () => {
  if (!hasBrowser) return
  running = await TestGateway.open()
  visitor = new ConsoleVisitor(running)
  const settings = { agent_access: 'on', allow_unlock: 'on' }
  const made = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Assistant',
    expose: ['floor:ground-floor'],
    settings,
  })
  integration = made.integration.id
  browser = await browserAt(running, profile)
})

afterAll(async () => {
  if (hasBrowser) await browser.close()
  rmSync(profile, { recursive: true, force: true })
  if (!hasBrowser) return
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** Opens a page of the console in the browser's session. */
async function opened(path: string): Promise<WatchedPage> {
  const console = await WatchedPage.open(browser)
  const isSignedIn = (await browser.storageState()).cookies.length > 0
  if (!isSignedIn) await console.page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  if (!isSignedIn) await console.page.getByRole('main').waitFor()
  await console.page.goto(`${visitor.origin}${path}`)
  await console.page.getByRole('main').waitFor()
  return console
}

const isRemoved = (element: Locator): Promise<void> => element.waitFor({ state: 'detached' })

const post = (path: string, body: object, token?: string): Promise<RawAnswer> =>
  visitor.ask({ method: 'POST', path, body, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })

async function pair(name: string): Promise<{ readonly code: string; readonly userCode: string }> {
  const paired = await post('/v1/pair', { gateway: running.gateway.serial, name, platform: 'Laptop' })
  expect(paired.status, paired.text).toBe(200)
  return paired.body as { code: string; userCode: string }
}

async function collected(code: string): Promise<string> {
  const answered = await post('/v1/pair/token', { code })
  expect(answered.status, answered.text).toBe(200)
  return (answered.body as { access_token: string }).access_token
}

const open = (token: string): Promise<RawAnswer> =>
  running.hasten(post(`/v1/devices/${running.gateway.serial}:${integration}:front-door/control`, { op: 'open' }, token))

provesInBrowser(
  'console.approvals',
  'an agent’s request appears on every open console, and one answer removes it everywhere',
  async () => {
    const [one, other] = [await opened('/console/system'), await opened('/console/approvals')]
    await other.page.getByText('No requests.').waitFor()
    const { code, userCode } = await pair('Claude Code')
    const card = other.page.getByRole('article', { name: '“Claude Code” via Laptop asks for access' })
    await card.getByText(userCode).waitFor()

    // Other pages show a banner, and no dialog opens by itself.
    await one.page.getByRole('status').getByText('“Claude Code” via Laptop asks for access').waitFor()
    expect(await one.page.getByRole('dialog').count()).toBe(0)
    await one.page.getByRole('button', { name: 'Look' }).click()
    const dialog = one.page.getByRole('dialog')
    await dialog.getByText(userCode).waitFor()
    const accept = dialog.getByRole('button', { name: 'Accept' })
    expect(await accept.isDisabled()).toBe(true)
    expect(await accept.and(one.page.locator(':focus')).count()).toBe(0)
    // A new opening waits until the current request is answered.
    const doorman = await running.admin.call<{ token: string }>('POST', '/agents', {
      integration,
      name: 'Night porter',
      platform: 'Desk',
    })
    expect((await open(doorman.token)).status).toBe(403)
    // The dialog has its own status line, because screen readers ignore the page below it.
    await dialog.getByRole('status').getByText('2 requests wait for your answer').waitFor()
    await dialog.getByRole('link', { name: 'See all' }).waitFor()
    await dialog.getByText(userCode).waitFor()
    await other.page.getByRole('button', { name: 'Decline' }).click()
    await isRemoved(dialog.getByRole('link', { name: 'See all' }))
    await dialog.getByText(/Sees and controls \d+ devices · may also .*open locks and gates/).waitFor()
    await accept.click()
    await Promise.all([isRemoved(card), isRemoved(dialog), isRemoved(one.page.getByRole('button', { name: 'Look' }))])
    const token = await collected(code)
    expect((await visitor.ask({ path: '/v1/integration', headers: { authorization: `Bearer ${token}` } })).status).toBe(
      200,
    )

    // After a repeated request the new credential replaces the old one, or is added.
    const again = await pair('Claude Code')
    await card.getByText(again.userCode).waitFor()
    expect(await card.getByRole('radio', { name: /^Replace/ }).isChecked()).toBe(true)
    await card.getByRole('radio', { name: 'Add a further credential' }).check()
    await card.getByRole('button', { name: 'Only for this session' }).click()
    await isRemoved(card)
    const session = await collected(again.code)
    expect(session).toMatch(/^hm_session_/)

    // A third request is denied, and its address blocked and unblocked.
    await pair('Claude Code')
    await card.getByRole('button', { name: 'Deny and block' }).click()
    await isRemoved(card)
    await other.page.getByRole('button', { name: 'Undo' }).click()
    await isRemoved(other.page.getByText('Blocked for a day'))
    expect([...one.takeProblems(), ...other.takeProblems()]).toEqual([])
    await Promise.all([one.page.close(), other.page.close()])
  },
)

provesInBrowser(
  'console.openings',
  'a person confirms or declines an opening, with the lock’s identity and the digits',
  async () => {
    const { page, ...watched } = await watchedApprovals()
    const agent = await running.admin.call<{ token: string }>('POST', '/agents', {
      integration,
      name: 'Doorman',
      platform: 'Desk',
    })
    expect((await open(agent.token)).status).toBe(403)
    const card = page.getByRole('article', { name: 'Agent: Doorman via Desk wants to open “Front door”' })
    // Model and id identify the lock, even if an agent renamed it.
    await card.getByText('Lock “Front door”').waitFor()
    await card.getByText('HMLK front-door in this home').waitFor()
    await card.getByText('Assistant', { exact: true }).waitFor()
    const { confirmations } = await running.admin.call<{ confirmations: { code: string }[] }>('GET', '/confirmations')
    const digits = confirmations[0]?.code ?? ''
    await card.getByText(`${digits.slice(0, 3)} ${digits.slice(3)}`).waitFor()
    await card.getByRole('button', { name: 'Confirm once' }).click()
    await isRemoved(card)
    expect((await open(agent.token)).status).toBe(200)

    expect((await open(agent.token)).status).toBe(403)
    await card.getByRole('button', { name: 'Decline' }).click()
    await isRemoved(card)
    expect((await open(agent.token)).text).toContain('declined')
    expect(watched.takeProblems()).toEqual([])
    await page.close()
  },
)

async function watchedApprovals(): Promise<{ page: WatchedPage['page']; takeProblems: () => readonly string[] }> {
  const console = await opened('/console/approvals')
  return { page: console.page, takeProblems: () => console.takeProblems() }
}

test.skipIf(!hasBrowser)('turning agent access off closes an agent’s stream', async () => {
  const { token } = await running.admin.call<{ token: string }>('POST', '/agents', {
    integration,
    name: 'Listener',
    platform: 'Desk',
  })
  const socket = new WebSocket(`wss://${visitor.host}/v1/stream`, {
    ...trusting(readFileSync(running.gateway.caFile, 'utf8')),
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  const ended = once(socket, 'close')
  const settings = (agent_access: string) =>
    running.admin.call('PATCH', `/integrations/${integration}`, { settings: { agent_access } })
  await settings('off')
  expect((await ended)[0]).toBe(4403)
  await settings('on')
})

provesInBrowser('console.places', 'every appAction leads to an existing page', async () => {
  const console = await opened('/console/')
  const { page } = console
  const device = encodeURIComponent(`${running.gateway.serial}:${integration}:hall-light`)
  const places: Readonly<Record<string, { readonly path: string; readonly title: RegExp }>> = {
    'integrations.record': { path: `/console/access/${integration}`, title: /./ },
    'integrations.approve': { path: '/console/approvals', title: /^Approvals$/ },
    'integrations.confirm': { path: '/console/approvals', title: /^Approvals$/ },
    rooms: { path: '/console/rooms', title: /^Rooms$/ },
    'unit.menus': { path: '/console/device/', title: /^Hall light$/ },
  }
  expect(Object.keys(places).toSorted()).toEqual([...APP_ACTIONS].toSorted())
  for (const [action, { path, title }] of Object.entries(places)) {
    await page.goto(`${visitor.origin}/console/go/${action}?device=${device}`)
    await page.waitForURL((url) => url.pathname.startsWith(path))
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }
  expect(await page.locator('#settings').getByRole('heading', { name: 'Settings' }).count()).toBe(1)
  await page.goto(`${visitor.origin}/console/go/of-a-newer-client`)
  await page.getByText('This link leads nowhere').waitFor()
  expect(console.takeProblems()).toEqual([])
  await page.close()
})
