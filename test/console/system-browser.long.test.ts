// @module-tag long
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { addVirtualPasskeys } from '#support/console/virtual-passkeys.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 3 tests (HM_CHROMIUM names a Chromium)')

const PASSWORD = 'correct horse battery'
const clock = new ManualClock(Date.now())
let running: TestGateway
let visitor: ConsoleVisitor

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock, setupCode: 'KITCHEN-4711' })
  visitor = new ConsoleVisitor(running)
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

/** A page with an authenticator that confirms at once, and the errors of the page. */
async function opened(browser: BrowserContext): Promise<{ page: Page; wrong: string[] }> {
  const page = await browser.newPage()
  const wrong: string[] = []
  // The browser also reports refused requests.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  await addVirtualPasskeys(browser, page)
  return { page, wrong }
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const card = (page: Page, title: string | RegExp) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: title }) })

/** Creates an account with a password. */
async function named(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Create account' }).click()
  await button(page, 'Create account').click()
  await page.getByLabel('Name', { exact: true }).fill('Anna')
  await page.getByLabel('Password', { exact: true }).check()
  await page.locator('[type=password]').fill(PASSWORD)
  await button(page, 'Create my account').click()
  await card(page, 'Anna').getByText('You', { exact: true }).waitFor()
}

provesInBrowser(
  ['console.passkeys', 'console.step-up'],
  'a new person creates an account and a passkey, signs in with it and proves dangerous changes',
  async () => {
    await using browser = await browserAt(running)
    const { page, wrong } = await opened(browser)
    await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
    await page.getByRole('link', { name: 'Restore a backup here' }).waitFor()
    await named(page)
    expect(await page.getByText('Create your account to sign in next time').count()).toBe(0)
    await button(page, 'Add a passkey').click()
    await page.getByLabel('Name of the passkey').fill('Laptop')
    await button(page, 'Create the passkey').click()
    await page.getByRole('list', { name: 'Passkeys of Anna' }).getByText('Laptop').waitFor()

    await page.goto(`${visitor.origin}/console/system/sessions`)
    await card(page, /Chrome/)
      .getByRole('button', { name: 'Sign out' })
      .click()
    await button(page, 'Sign in with a passkey').click()
    await card(page, /Chrome/)
      .getByText('This browser')
      .waitFor()

    clock.advance(FRESH_MS)
    await page.goto(`${visitor.origin}/console/system/persons`)
    await button(page, 'Add a person').click()
    await page.getByRole('radio', { name: 'Administrator' }).check()
    await page.getByLabel('Name', { exact: true }).fill('Ben')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click()
    await page.getByLabel('Password', { exact: true }).fill('wrong wrong')
    await button(page, 'Continue').click()
    await page.getByText('This is not your password').waitFor()
    await button(page, 'Use a passkey').click()
    await page.getByRole('heading', { name: 'A link for Ben' }).waitFor()
    const link = await page.locator('.rows code').first().textContent()
    expect((await visitor.signIn({ link: link?.split('#')[1] ?? '' })).status).toBe(201)
    await button(page, 'Done').click()
    await card(page, 'Ben').waitFor()

    // A removed passkey does not end the session; the password still works as a proof.
    clock.advance(FRESH_MS)
    await button(page, 'Add a person').click()
    await page.getByRole('radio', { name: 'Administrator' }).check()
    await page.getByLabel('Name', { exact: true }).fill('Dora')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click()
    await button(page, 'Use a passkey').waitFor()
    const { passkeys } = await running.admin.call<{ passkeys: { id: string }[] }>('GET', '/passkeys')
    for (const { id } of passkeys) await running.admin.call('DELETE', `/passkeys/${id}`)
    await button(page, 'Use a passkey').click()
    await page.getByText('The passkey did not work. Try again, or use your password.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button(page, 'Continue').click()
    await page.getByRole('heading', { name: 'A link for Dora' }).waitFor()
    expect(wrong).toEqual([])
  },
)

provesInBrowser('console.way-back', 'an account needs a passkey or password', async () => {
  await using browser = await browserAt(running)
  const { page, wrong } = await opened(browser)
  const { links } = await running.admin.call<{ links: string[] }>('POST', '/links', {})
  const code = links[0]?.split('#')[1] ?? ''
  const warning = page.getByText('Create your account to sign in next time')

  // Passkeys do not work at a numeric address, so the dialog asks for a password.
  await page.goto(`https://127.0.0.1:${running.gateway.port}/console/#${code}`)
  await warning.waitFor()
  await page.getByRole('link', { name: 'Create account' }).click()
  await button(page, 'Create account').click()
  await page.getByRole('dialog').getByText('Passkeys work only at the gateway’s name').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Frieda')
  await button(page, 'Create my account').click()
  expect(await page.locator('[type=password]:invalid').count()).toBe(1)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button(page, 'Create my account').click()
  await card(page, 'Frieda').getByText('Has a password').waitFor()
  await warning.waitFor({ state: 'detached' })

  // At the gateway's name it offers a passkey; after a failure the choice and the warning stay.
  await page.goto('about:blank')
  await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  await page.getByRole('link', { name: 'Create account' }).click()
  await button(page, 'Create account').click()
  await page.getByLabel('Name', { exact: true }).fill('Gerd')
  await page.route('**/passkeys/options', (route) => route.abort())
  await button(page, 'Create my account').click()
  await page.getByRole('dialog').getByText('Your account Gerd exists').waitFor()
  await button(page, 'Cancel').click()
  await card(page, 'Gerd').getByText('Has neither a password nor a passkey').waitFor()
  await page.getByRole('link', { name: 'Set up' }).waitFor()
  await page.unroute('**/passkeys/options')
  await button(page, 'Add a passkey').click()
  await button(page, 'Create the passkey').click()
  await warning.waitFor({ state: 'detached' })
  await card(page, 'Gerd').getByText('Has neither a password nor a passkey').waitFor({ state: 'detached' })

  await page.goto('about:blank')
  await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  await page.getByRole('link', { name: 'Create account' }).click()
  await button(page, 'Create account').click()
  await page.getByLabel('Name', { exact: true }).fill('Hanna')
  await button(page, 'Create my account').click()
  await page.getByRole('list', { name: 'Passkeys of Hanna' }).waitFor()
  await warning.waitFor({ state: 'detached' })
  expect(wrong).toEqual([])
})

provesInBrowser(
  'console.others',
  'sessions, persons and failed sign-ins of others appear live and can be ended',
  async () => {
    await using browser = await browserAt(running)
    const { page, wrong } = await opened(browser)
    // The home has an administrator, so a session by link is not offered a restore.
    await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
    await page.getByRole('link', { name: 'Create account' }).waitFor()
    expect(await page.getByRole('link', { name: 'Restore a backup here' }).count()).toBe(0)
    await page.goto('about:blank')
    await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
    await page.getByRole('button', { name: 'You are Anna' }).waitFor()
    await page.goto(`${visitor.origin}/console/system/sessions`)
    await card(page, /Chrome/)
      .first()
      .waitFor()
    const from = { headers: { 'user-agent': 'Mozilla/5.0 (iPhone) FxiOS/140.0' } }
    const other = await visitor.signIn({ link: await visitor.link('Ben') }, from)
    expect(other.status).toBe(201)
    const bens = card(page, 'Firefox on iPhone')
    await bens.getByRole('button', { name: 'Sign out Firefox on iPhone of Ben' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out Firefox on iPhone of Ben' }).click()
    await bens.waitFor({ state: 'detached' })
    const { sessions } = await running.admin.call<{ sessions: { id: string }[] }>('GET', '/sessions')
    expect(sessions.map(({ id }) => id)).not.toContain((other.body as { session: string }).session)

    await page.getByRole('link', { name: 'Persons' }).click()
    await card(page, 'Ben').getByRole('button', { name: 'Remove' }).click()
    await button(page, 'Remove Ben').click()
    await card(page, 'Ben').waitFor({ state: 'detached' })
    await running.admin.call('POST', '/persons', { name: 'Cleo' })
    await card(page, 'Cleo').waitFor()

    await page.getByRole('link', { name: 'Certificates' }).click()
    await page.getByText(running.gateway.fingerprint.slice(0, 12)).waitFor()
    await page.getByText('This browser verifies the gateway’s certificate').waitFor()
    await page.getByRole('link', { name: 'Status' }).click()
    await page.getByText('Running for').waitFor()
    await page.getByRole('link', { name: 'Relay' }).click()
    await page.getByLabel('Address of the relay').fill('nonsense')
    await button(page, 'Connect').click()
    await page.getByText('must be the address of a relay').waitFor()
    // The release notes are short, and the details unfold.
    await page.getByRole('link', { name: 'About' }).click()
    const changes = card(page, 'What is new').getByRole('listitem')
    await changes.first().waitFor()
    const visible = await changes.count()
    expect(visible).toBeLessThan(20)
    await page
      .getByText(/^\d+ changes in detail/)
      .first()
      .click()
    expect(await changes.count()).toBeGreaterThan(visible)
    expect(wrong).toEqual([])
  },
)

test.skipIf(!hasBrowser)('at a numeric address the page explains passkeys and accepts other sign-ins', async () => {
  await using browser = await browserAt(running)
  const { page, wrong } = await opened(browser)
  await page.goto(`https://127.0.0.1:${running.gateway.port}/console/#${'x'.repeat(24)}`)
  const refusal = page.getByRole('main').locator('> [role=alert]', { hasText: 'This link was already used' })
  await refusal.waitFor()
  await page.getByText('Passkeys work only at the gateway’s name').waitFor()
  const elsewhere = `https://hm-${running.gateway.serial}.local:${running.gateway.port}/console/`
  expect(await page.getByRole('link', { name: elsewhere }).getAttribute('href')).toBe(elsewhere)
  expect(await button(page, 'Sign in with a passkey').count()).toBe(0)
  await page.getByText('The gateway is new').click()
  await page.getByLabel('Set-up code').fill('KITCHEN-4711')
  await page.locator('details', { hasText: 'The gateway is new' }).getByRole('button', { name: 'Open' }).click()
  await page.locator('details', { hasText: 'The gateway is new' }).getByText('This link was already used').waitFor()
  await page.getByLabel('This is my own device').check()
  await page.getByText('I have a one-time link').click()
  await page.getByLabel('Link or code').fill(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await page.locator('details', { hasText: 'I have a one-time link' }).getByRole('button', { name: 'Open' }).click()
  await page.getByRole('navigation', { name: 'Places' }).waitFor()
  const { sessions } = await running.admin.call<{ sessions: object[] }>('GET', '/sessions')
  expect(sessions).toContainEqual(expect.objectContaining({ peer: '127.0.0.1', ownDevice: true }))
  // A sign-in clears the error of the failed link.
  await button(page, /^You/).click()
  await button(page, 'Sign out').click()
  await button(page, 'Sign in').waitFor()
  expect(await refusal.count()).toBe(0)
  await page.goto(`https://127.0.0.1:${running.gateway.port}/console/trust`)
  await page.getByRole('link', { name: 'Download ca.pem' }).waitFor()
  expect(wrong).toEqual([])
})
