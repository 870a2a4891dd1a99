import type { BrowserContext, Page } from 'playwright-core'

/** Runs first in the page: logs every breach of the content policy. */
const LOG_BREACHES = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('policy ' + effectiveDirective + ': ' + blockedURI))`

/** A page with its problems: errors, failed requests, breaches of the content policy. */
export class WatchedPage {
  readonly page: Page
  #problems: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on('console', (message) => {
      if (message.type() === 'error') this.#problems.push(message.text())
    })
    page.on('response', (response) => {
      if (response.status() >= 400) this.#problems.push(`${response.status()} ${response.url()}`)
    })
    page.on('pageerror', (error) => this.#problems.push(String(error)))
  }

  static async open(browser: BrowserContext): Promise<WatchedPage> {
    const page = await browser.newPage()
    await page.addInitScript(LOG_BREACHES)
    return new WatchedPage(page)
  }

  /** Returns and clears the problems. */
  takeProblems(): readonly string[] {
    const problems = this.#problems
    this.#problems = []
    return problems
  }
}
