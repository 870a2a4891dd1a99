import type { Page } from 'playwright-core'
import { settled } from './pages.ts'

/** Until the page goes elsewhere the gateway answers no control, as where a unit takes its time. */
export async function holdBack(page: Page): Promise<void> {
  // The browser's own way to hold a request back does not see those that a service worker lets pass.
  await page.evaluate(`{
    const passed = fetch
    globalThis.fetch = (url, how) => String(url).endsWith('/control') ? new Promise(() => undefined) : passed(url, how)
  }`)
}

/** Loads the page anew, and takes its stream away until it goes elsewhere: it is without its gateway then. */
export async function cutOff(page: Page): Promise<void> {
  let isCut = false
  const ends: (() => Promise<void>)[] = []
  await page.routeWebSocket('**/admin/v1/stream', (socket) => {
    if (isCut) return void socket.close()
    socket.connectToServer()
    ends.push(() => socket.close())
  })
  await page.reload()
  await page.locator('.top .live').waitFor({ state: 'attached' })
  // What was not read before the connection breaks is read only once there is one again.
  await settled(page)
  isCut = true
  for (const end of ends) await end()
  await page.getByRole('region', { name: 'No connection' }).waitFor()
  page.once('framenavigated', () => {
    isCut = false
  })
}
