import type { Page } from 'playwright-core'
import type { ConsoleView, PageFacts } from './console-view.ts'

/** The screens that a page is looked at on. */
export const SCREENS = [
  { width: 1280, height: 900 },
  { width: 360, height: 780 },
] as const
export type Screen = { readonly width: number; readonly height: number }

export const SCHEMES = ['light', 'dark'] as const

/** The ids of all devices of the home by their names, asked as the one who is signed in on this page. */
export async function devicesOf(page: Page): Promise<ReadonlyMap<string, string>> {
  const house = await page.evaluate(async () => {
    const answer = await fetch('/admin/home/v1/house', {
      headers: { 'x-hm-session': localStorage['hm-half'] as string },
    })
    return answer.text()
  })
  return new Map(
    [...house.matchAll(/"id":"([^"]+:[^"]+)","name":"([^"]+)"/g)].map(([, id = '', name = '']) => [name, id] as const),
  )
}

/** Shows a view as somebody with this screen comes to it, once it is whole. */
export async function show(page: Page, view: ConsoleView, facts: PageFacts, screen: Screen): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(screen)
  // A link with its code behind the `#` opens nothing anew on the page that it names.
  await page.goto('about:blank')
  if (view.isDangerous === true) {
    await page.goto(await facts.link())
    await page.getByRole('navigation', { name: 'Places' }).waitFor()
  }
  await page.goto(view.at(facts))
  await settled(page)
  await view.first?.(page, facts)
  if (view.waits !== true) await settled(page)
}

/** Waits until the page is there and nothing on it is still being read. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('.wait, [aria-busy=true]').first().waitFor({ state: 'detached' })
}
