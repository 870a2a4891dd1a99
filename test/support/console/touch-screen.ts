import type { CDPSession, Locator, Page } from 'playwright-core'

/** A phone's screen. */
export const PHONE = { width: 390, height: 844 } as const

export interface Point {
  readonly x: number
  readonly y: number
}

/** Steps of a swipe; a finger sends about sixty a second. */
const STEPS = 8

/** Real touches on a page: the browser decides itself whether they scroll, tap or drag. */
export class TouchScreen {
  readonly #session: CDPSession

  private constructor(session: CDPSession) {
    this.#session = session
  }

  /** Makes a page that of a phone. */
  static async of(page: Page): Promise<TouchScreen> {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })
    await session.send('Emulation.setDeviceMetricsOverride', { ...PHONE, deviceScaleFactor: 2, mobile: true })
    return new TouchScreen(session)
  }

  /** The middle of a control, which is scrolled to the middle of the screen. */
  async middleOf(control: Locator): Promise<Point> {
    await control.evaluate((element) => {
      element.scrollIntoView({ block: 'center', behavior: 'instant' })
    })
    const box = await control.boundingBox()
    if (box === null) throw new Error('The control is not on the page.')
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }

  /** Moves one finger from a point by so many pixels and lifts it. */
  async swipe(from: Point, by: Point): Promise<void> {
    await this.down(from)
    for (let step = 1; step <= STEPS; step += 1)
      await this.move({ x: from.x + (by.x * step) / STEPS, y: from.y + (by.y * step) / STEPS })
    await this.up()
  }

  async tap(at: Point): Promise<void> {
    await this.down(at)
    await this.up()
  }

  /** Puts fingers on the screen: those that were there, and the new one last. */
  async down(...fingers: readonly Point[]): Promise<void> {
    await this.#send('touchStart', fingers)
  }

  async move(...fingers: readonly Point[]): Promise<void> {
    await this.#send('touchMove', fingers)
  }

  /** Lifts every finger. */
  async up(): Promise<void> {
    await this.#send('touchEnd', [])
  }

  /** The system takes the touch for itself. */
  async cancel(): Promise<void> {
    await this.#send('touchCancel', [])
  }

  async #send(type: 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel', fingers: readonly Point[]): Promise<void> {
    const touchPoints = fingers.map(({ x, y }, id) => ({ x, y, id }))
    await this.#session.send('Input.dispatchTouchEvent', { type, touchPoints })
  }
}
