import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBuilt } from '#support/console/build.ts'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { type FurnishedHome, furnishedHome } from '#support/console/furnished-home.ts'
import { CONSOLE_PAGES, lampOf, look, LOOKS, type PageFacts } from '#support/console/pages.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const hasBrowser = CHROMIUM !== null && isBuilt
if (!hasBrowser) console.log('browser: skipped, every page of the console (HM_CHROMIUM names a Chromium)')

let folder: string
let home: FurnishedHome
let browser: BrowserContext
let watched: WatchedPage
let facts: PageFacts

beforeAll(async () => {
  if (!hasBrowser) return
  folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
  home = await furnishedHome(join(folder, 'home'))
  browser = await openBrowser(home.gateway, join(folder, 'browser'))
  watched = await WatchedPage.open(browser)
  await watched.page.goto(`${home.origin}/console/#${await home.link()}`)
  await watched.page.getByRole('navigation').waitFor()
  facts = { device: await lampOf(watched.page), integration: home.integration }
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  await home[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const views = CONSOLE_PAGES.flatMap(({ name, path }) => LOOKS.map((each) => ({ ...each, name, path })))

test.skipIf(!hasBrowser).each(views)('$name, $colorScheme, $width px wide, is for everybody', async (view) => {
  const { page } = watched
  await look(page, `${home.origin}${view.path(facts)}`, view)
  expect(await faults(page)).toEqual([])
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  expect(watched.taken()).toEqual([])
})

/** What axe has against this page: the rule, and where it is broken. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
