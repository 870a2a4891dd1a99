// @module-tag long
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { icons } from '../../console/src/parts/icons.ts'
import { CHROMIUM } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { browserAt } from '#support/gateway/chromium.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

if (CHROMIUM === null) console.log('browser: skipped, 3 tests of tiles (HM_CHROMIUM names a Chromium)')

/** Anna's browser on the home page, and her session for changes from elsewhere. */
class Home implements AsyncDisposable {
  readonly page: Page
  readonly running: TestGateway
  readonly #visitor: ConsoleVisitor
  readonly #anna: ConsoleSecrets
  readonly #ends: AsyncDisposableStack

  private constructor(
    page: Page,
    running: TestGateway,
    visitor: ConsoleVisitor,
    anna: ConsoleSecrets,
    ends: AsyncDisposableStack,
  ) {
    this.page = page
    this.running = running
    this.#visitor = visitor
    this.#anna = anna
    this.#ends = ends
  }

  static async open(): Promise<Home> {
    await using ends = new AsyncDisposableStack()
    const running = ends.use(await TestGateway.open())
    const visitor = ends.use(new ConsoleVisitor(running))
    await running.admin.call('POST', '/persons', { name: 'Anna' })
    const anna = await visitor.signInByLink('Anna')
    const page = await ends.use(await browserAt(running)).newPage()
    await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
    await page.getByRole('heading', { name: 'Hall', exact: true }).waitFor()
    return new Home(page, running, visitor, anna, ends.move())
  }

  /** An owner's id. */
  id(local: string): string {
    return `${this.running.gateway.serial}:00000000-0000-0000-0000-000000000000:${local}`
  }

  async call(method: string, path: string, body: object): Promise<void> {
    const request = this.#visitor.as(this.#anna, method, `/admin/home/v1${path}`, body)
    const { status, text } = await this.running.hasten(request)
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
  }

  control(local: string, body: object): Promise<void> {
    return this.call('POST', `/devices/${encodeURIComponent(this.id(local))}/control`, body)
  }

  tile(name: string): Locator {
    return this.page.getByRole('listitem').filter({ has: this.page.getByRole('link', { name, exact: true }) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ends.disposeAsync()
  }
}

/** Computed style of an element. */
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)

/** Computed colour of a role. */
const colourOf = (page: Page, role: string): Promise<string> =>
  page.evaluate<string>(`(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(${role})'
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  })()`)

provesInBrowser(
  'console.padlock',
  'every page shows an unlocked door with an open padlock in a warm colour',
  async () => {
    await using home = await Home.open()
    const { page } = home
    await home.tile('Front door').getByText('Locked', { exact: true }).waitFor()
    expect(await home.tile('Front door').locator('svg path').getAttribute('d')).toBe(icons.lock)
    await home.control('front-door', { op: 'open' })
    await home.tile('Front door').getByText('Unlocked', { exact: true }).waitFor()
    const checkPadlock = async (): Promise<void> => {
      const tile = page.locator('.tile.unlocked')
      expect(await tile.locator('svg').count()).toBe(1)
      expect(await tile.locator('svg path').getAttribute('d')).toBe(icons.unlocked)
      expect(await styleOf(page, '.tile.unlocked svg', 'color')).toBe(await colourOf(page, '--warn'))
    }
    await checkPadlock()
    await home.tile('Front door').getByRole('link', { name: 'Front door' }).click()
    await page.getByRole('heading', { level: 1, name: 'Front door' }).waitFor()
    await checkPadlock()
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill('front door')
    expect(await page.locator('.finder li svg path').first().getAttribute('d')).toBe(icons.unlocked)
    await page.keyboard.press('Escape')
    await home.control('front-door', { op: 'close' })
    await page.locator('.tile.unlocked').waitFor({ state: 'detached' })
  },
)

provesInBrowser(
  'console.since',
  'a tile shows the start of its state, even after a repeated confirmation',
  async () => {
    await using home = await Home.open()
    const { page, running } = home
    const time = home.tile('Hall light').locator('.state time')
    const begun = async (): Promise<number> => Date.parse((await time.getAttribute('datetime')) ?? '')
    expect(await time.textContent()).toMatch(/^since before\s\d\d:\d\d$/)
    await home.control('hall-light', { op: 'set_power', args: { on: true } })
    await home.tile('Hall light').getByText('On', { exact: true }).waitFor()
    expect(await time.textContent()).toMatch(/^since\s\d\d:\d\d$/)
    const since = await begun()
    // The unit confirms the same state, so the start stays.
    const before = running.clock.now()
    await home.control('hall-light', { op: 'set_power', args: { on: true } })
    expect(await begun()).toBe(since)
    await page.reload()
    await time.waitFor()
    await expect.poll(begun).toBe(since)
    expect(running.gateway.home.live.states.get('hall-light')?.asOf).toBeGreaterThanOrEqual(before)
  },
)

provesInBrowser('console.names', 'a long name has two lines, a tooltip and its own text direction', async () => {
  await using home = await Home.open()
  const { page } = home
  await page.setViewportSize({ width: 390, height: 844 })
  const hebrew = 'תאורה של המסדרון הארוך בין הסלון לחדר השינה של ההורים'
  const long = 'The lamp above the long table beside the window to the garden'
  await home.call('PATCH', `/devices/${encodeURIComponent(home.id('hall-light'))}`, { name: hebrew })
  await home.call('PATCH', `/devices/${encodeURIComponent(home.id('living-lamp'))}`, { name: long })
  for (const [name, direction] of [
    [hebrew, 'rtl'],
    [long, 'ltr'],
  ] as const) {
    const link = page.getByRole('link', { name, exact: true })
    await link.waitFor()
    expect(await link.getAttribute('title')).toBe(name)
    const at = `.tile a[title=${JSON.stringify(name)}]`
    expect(await styleOf(page, at, 'direction')).toBe(direction)
    const { height } = (await link.boundingBox()) ?? { height: 0 }
    expect(Math.round(height / parseFloat(await styleOf(page, at, 'lineHeight')))).toBe(2)
  }
  await page.getByRole('link', { name: hebrew, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: hebrew }).waitFor()
  expect(await styleOf(page, 'h1', 'direction')).toBe('rtl')
})
