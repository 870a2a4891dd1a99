import type { Page } from 'playwright-core'
import type { ConsoleView, PageFacts } from './console-view.ts'

/** Screens of all checks. */
export const SCREENS = [
  { width: 1280, height: 900 },
  { width: 360, height: 780 },
] as const
export type Screen = { readonly width: number; readonly height: number }

export const SCHEMES = ['light', 'dark'] as const

/** Device ids by name, read in the session of this page. */
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

/** Opens a view on a screen and waits until it has loaded. */
export async function show(page: Page, view: ConsoleView, facts: PageFacts, screen: Screen): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(screen)
  // A link to the current page would change only the fragment, without a sign-in.
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

/** Waits until the page has loaded all its data. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('.wait, [aria-busy=true]').first().waitFor({ state: 'detached' })
}
