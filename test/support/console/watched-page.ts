import type { BrowserContext, Page } from 'playwright-core'

/** Runs in the page before any of its scripts: what its policy forbids is told, also where the browser says nothing. */
const TELL_BREACHES = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('policy ' + effectiveDirective + ': ' + blockedURI))`

/** A page of a browser, and everything that went wrong on it: errors, refused requests, breaches of its policy. */
export class WatchedPage {
  readonly page: Page
  #wrong: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on('console', (message) => {
      if (message.type() === 'error') this.#wrong.push(message.text())
    })
    page.on('response', (response) => {
      if (response.status() >= 400) this.#wrong.push(`${response.status()} ${response.url()}`)
    })
    page.on('pageerror', (error) => this.#wrong.push(String(error)))
  }

  static async open(browser: BrowserContext): Promise<WatchedPage> {
    const page = await browser.newPage()
    await page.addInitScript(TELL_BREACHES)
    return new WatchedPage(page)
  }

  /** What went wrong since it was last asked. */
  taken(): readonly string[] {
    const wrong = this.#wrong
    this.#wrong = []
    return wrong
  }
}
