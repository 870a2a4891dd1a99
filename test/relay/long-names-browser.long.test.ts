// @module-tag long
import { expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { requirement } from '../requirements/index.ts'
import { OAuthAgent } from '#support/relay/oauth-agent.ts'
import { HOME, OLGA, olgasRelay } from '#support/relay/test-web.ts'
import { tempFolder } from '#support/temp-folder.ts'

const WIDTH = 390
const LONG = 'W'.repeat(120)

if (CHROMIUM === null) console.log('browser: skipped, 1 test (it needs a Chromium)')
requirement('relay.long-names')

test.skipIf(CHROMIUM === null)(
  '[relay.long-names] the longest names without spaces stay within the width of a phone on every page',
  async () => {
    const relay = await olgasRelay({ host: 'localhost' })
    relay.homes.houses.set(HOME, LONG)
    const { accounts } = relay.web
    const olga = (await accounts.byEmail(OLGA.email))!
    const passkey = { credential: 'credential', key: 'key', counter: 0, createdAt: 0, usedAt: null }
    await accounts.change(olga.id, (now) => ({
      ...now,
      email: `${LONG}@example.org`,
      passkeys: [{ ...passkey, name: LONG.slice(0, 64) }],
    }))
    const agent = await OAuthAgent.register(relay.origin, relay.fetch, { client_name: LONG })
    const browser = await openBrowser({ port: Number(new URL(relay.origin).port), ca: relay.ca }, tempFolder())
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.setViewportSize({ width: WIDTH, height: 844 })
    const seen: string[] = []
    const look = async () => {
      seen.push(await page.title())
      expect(await page.evaluate('document.documentElement.scrollWidth'), seen.at(-1)).toBeLessThanOrEqual(WIDTH)
    }
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const url = await agent.authorizeUrl()
    await page.goto(url.href)
    await look()
    await page.getByLabel('E-mail address').fill(OLGA.email)
    await page.getByLabel('Password').fill(OLGA.password)
    await press('Sign in')
    await page.getByText('asks for access').first().waitFor()
    await look()
    await press('Ask the administrators')
    await page.getByText('Compare this code').waitFor()
    await look()
    for (const path of ['/', '/account', '/account/passkeys', '/account/delete', '/link', '/nowhere']) {
      await page.goto(`${relay.origin}${path}`)
      await look()
    }
    await page.goto(`${relay.origin}/account`)
    await page.getByRole('link', { name: /^Change W/ }).click()
    await page.getByText('Remove this passkey').waitFor()
    await look()
    await page.goto(relay.origin)
    await press('Unlink')
    await page.getByRole('heading', { name: /^Unlink W/ }).waitFor()
    await look()
    expect(new Set(seen).size).toBeGreaterThanOrEqual(9)
  },
  60_000,
)
