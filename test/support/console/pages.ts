import type { Page } from 'playwright-core'

/** What the paths of pages name. */
export interface PageFacts {
  /** Of a dimmable lamp, as the owner knows it. */
  readonly device: string
  readonly integration: string
}

/** Every page of the console for somebody who is signed in, by a name for its picture. */
export const CONSOLE_PAGES: readonly { readonly name: string; readonly path: (facts: PageFacts) => string }[] = [
  { name: 'home', path: () => '/console/' },
  { name: 'device', path: ({ device }) => `/console/device/${encodeURIComponent(device)}` },
  { name: 'activity', path: () => '/console/activity' },
  { name: 'rooms', path: () => '/console/rooms' },
  { name: 'access', path: () => '/console/access' },
  { name: 'integration', path: ({ integration }) => `/console/access/${integration}` },
  { name: 'approvals', path: () => '/console/approvals' },
  { name: 'system', path: () => '/console/system' },
  ...['certificates', 'persons', 'sessions', 'relay', 'failures'].map((part) => ({
    name: `system-${part}`,
    path: () => `/console/system/${part}`,
  })),
  { name: 'trust', path: () => '/console/trust' },
]

export const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { colorScheme, width: 1280, height: 900 },
  { colorScheme, width: 360, height: 780 },
])
export type Look = (typeof LOOKS)[number]

/** The id of a dimmable lamp, asked as the one who is signed in on this page. */
export async function lampOf(page: Page): Promise<string> {
  const house = await page.evaluate(async () => {
    const answer = await fetch('/admin/home/v1/house', {
      headers: { 'x-hm-session': localStorage['hm-half'] as string },
    })
    return answer.text()
  })
  const [, id = ''] = /"id":"([^"]+)","name":"Ceiling light"/.exec(house) ?? []
  return id
}

/** Shows a page as a person with these eyes and this screen sees it, once it is whole. */
export async function look(page: Page, url: string, { colorScheme, width, height }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.setViewportSize({ width, height })
  await page.goto(url)
  await page.locator('h1').first().waitFor()
  await page.locator('.wait, [aria-busy=true]').first().waitFor({ state: 'detached' })
}
