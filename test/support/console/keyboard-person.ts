import type { Page } from 'playwright-core'

/** More steps than any page takes from end to end. */
const STEPS_MAX = 200

/** In the page: what has the focus, as `button Sign out`: its role, and what it is called. */
const FOCUSED = `(() => {
  const own = document.activeElement
  const role = own.getAttribute('role') ?? own.localName
  const name = own.getAttribute('aria-label') ?? own.labels?.[0]?.textContent ?? own.textContent
  return role + ' ' + name.replace(/\\s+/g, ' ').trim()
})()`

/** Somebody at a page who has a keyboard and nothing else. */
export class KeyboardPerson {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Goes on by Tab until that has the focus: `switch Hall light`, `a Access`. @throws what was passed instead */
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

  /** What has the focus now. */
  focused(): Promise<string> {
    return this.#page.evaluate<string>(FOCUSED)
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text)
  }

  /** Goes there and presses Enter. */
  async enter(wanted: string): Promise<void> {
    await this.to(wanted)
    await this.press('Enter')
  }
}
