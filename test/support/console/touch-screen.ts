import type { CDPSession, Locator, Page } from 'playwright-core'

/** Screen size of a phone. */
export const PHONE = { width: 390, height: 844 } as const

export interface Point {
  readonly x: number
  readonly y: number
}

/** Move events per swipe; real fingers send about sixty a second. */
const STEPS = 8

/** Sends real touches; the browser decides whether they scroll, tap or drag. */
export class TouchScreen {
  readonly #session: CDPSession

  private constructor(session: CDPSession) {
    this.#session = session
  }

  /** Turns a page into a phone's page. */
  static async of(page: Page): Promise<TouchScreen> {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })
    await session.send('Emulation.setDeviceMetricsOverride', { ...PHONE, deviceScaleFactor: 2, mobile: true })
    return new TouchScreen(session)
  }

  /** Scrolls a control to the centre and returns its centre. */
  async middleOf(control: Locator): Promise<Point> {
    await control.evaluate((element) => {
      element.scrollIntoView({ block: 'center', behavior: 'instant' })
    })
    const box = await control.boundingBox()
    if (box === null) throw new Error('The control is not on the page.')
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }

  /** Moves one finger by a distance in pixels and lifts it. */
  async swipe(from: Point, by: Point): Promise<void> {
    await this.down(from)
    for (let step = 1; step <= STEPS; step += 1)
      await this.move({ x: from.x + (by.x * step) / STEPS, y: from.y + (by.y * step) / STEPS })
    await this.up()
  }

  /** Puts a finger on the screen and lifts it at once: a slow page would make a long press of the pause. */
  async tap(at: Point): Promise<void> {
    await Promise.all([this.down(at), this.up()])
  }

  /** Puts a finger on the screen; earlier fingers come first in the list. */
  async down(...fingers: readonly Point[]): Promise<void> {
    await this.#send('touchStart', fingers)
  }

  async move(...fingers: readonly Point[]): Promise<void> {
    await this.#send('touchMove', fingers)
  }

  /** Lifts all fingers. */
  async up(): Promise<void> {
    await this.#send('touchEnd', [])
  }

  /** Cancels the touch, as the system does. */
  async cancel(): Promise<void> {
    await this.#send('touchCancel', [])
  }

  async #send(type: 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel', fingers: readonly Point[]): Promise<void> {
    const touchPoints = fingers.map(({ x, y }, id) => ({ x, y, id }))
    await this.#session.send('Input.dispatchTouchEvent', { type, touchPoints })
  }
}
