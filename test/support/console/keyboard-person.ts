import type { Page } from 'playwright-core'

/** More steps than any page has. */
const STEPS_MAX = 200

/** Runs in the page: role and name of the focused element, like `button Sign out`. */
const FOCUSED = `(() => {
  const own = document.activeElement
  const role = own.getAttribute('role') ?? own.localName
  const name = own.getAttribute('aria-label') ?? own.labels?.[0]?.textContent ?? own.textContent
  return role + ' ' + name.replace(/\\s+/g, ' ').trim()
})()`

/** Uses a page by keyboard alone. */
export class KeyboardPerson {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Presses Tab until the element has the focus: `switch Hall light`, `a Access`. @throws Error with the other stops */
  async to(wanted: string): Promise<void> {
    const passed: string[] = []
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const focused = await this.focused()
      if (focused === wanted) return
      passed.push(focused)
      await this.press('Tab')
    }
    throw new Error(`Tab never came to “${wanted}”, but to ${[...new Set(passed)].join(', ')}.`)
  }

  /** Role and name of the focused element. */
  focused(): Promise<string> {
    return this.#page.evaluate<string>(FOCUSED)
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text)
  }

  /** Moves to the element and presses Enter. */
  async enter(wanted: string): Promise<void> {
    await this.to(wanted)
    await this.press('Enter')
  }
}
