import type { Page } from 'playwright-core'
import { settled } from './pages.ts'

/** Leaves commands of the page without an answer, until it navigates. */
export async function holdCommands(page: Page): Promise<void> {
  // Playwright's routes do not see requests that pass the service worker.
  await page.evaluate(`{
    const passed = fetch
    globalThis.fetch = (url, how) => String(url).endsWith('/control') ? new Promise(() => undefined) : passed(url, how)
  }`)
}

/** Reloads the page and closes its stream, until it navigates. */
export async function dropStream(page: Page): Promise<void> {
  let isCut = false
  const ends: (() => Promise<void>)[] = []
  await page.routeWebSocket('**/admin/v1/stream', (socket) => {
    if (isCut) return void socket.close()
    socket.connectToServer()
    ends.push(() => socket.close())
  })
  await page.reload()
  await page.locator('.top .live').waitFor({ state: 'attached' })
  // Pages load data only while connected, so wait for all of it first.
  await settled(page)
  isCut = true
  for (const end of ends) await end()
  await page.getByRole('region', { name: 'No connection' }).waitFor()
  page.once('framenavigated', () => {
    isCut = false
  })
}
