// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulatedHome } from '../../src/gateway/simulated-home.ts'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { WatchedPage } from '#support/console/watched-page.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 7 tests of a large home (HM_CHROMIUM names a Chromium)')

const UNITS = 3_000
const SCENES = 500
/** Most elements on a page, for homes of any size; 3,000 rendered units would need tens of thousands. */
const ELEMENTS_MAX = 2_000

let running: TestGateway
let visitor: ConsoleVisitor
let browser: BrowserContext
let profile: string
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  if (!hasBrowser) return
  // The line has other units, so all of these are silent and their lists have full length.
  running = await TestGateway.open({ firstHouse: largeHouse(), settled: false })
  visitor = new ConsoleVisitor(running)
  profile = mkdtempSync(join(tmpdir(), 'hm-test-'))
  const { port, caFile } = running.gateway
  browser = await openBrowser({ port, ca: readFileSync(caFile, 'utf8') }, profile)
  watched = await WatchedPage.open(browser)
  ;({ page } = watched)
  await page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
  await page.locator('.tile').first().waitFor()
})

afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  rmSync(profile, { recursive: true, force: true })
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

function largeHouse(): HouseContent {
  const house = simulatedHome(
    { kind: 'sim', units: UNITS, seed: 7, speed: 1 },
    systemClock,
    'Europe/Berlin',
  ).newHome.house()
  const [first] = house.scenes
  if (first === undefined) throw new Error('The made-up house has no scene.')
  const scenes = Array.from({ length: SCENES }, (_, number) => ({
    ...first,
    id: `scene-${number}`,
    name: `Scene ${number}`,
    floor: null,
    room: null,
    position: number,
  }))
  return { ...house, scenes }
}

const elements = (): Promise<number> => page.evaluate<number>(`document.querySelectorAll('*').length`)

test.skipIf(!hasBrowser)('the home shows the first scenes, and more on request', async () => {
  const scenes = page.getByRole('region', { name: 'Scenes' })
  expect(await scenes.getByRole('button', { name: /^Scene/ }).count()).toBeLessThan(50)
  expect(await elements()).toBeLessThan(ELEMENTS_MAX)
  await scenes.getByRole('button', { name: 'Show more' }).click()
  await scenes.getByRole('button', { name: 'Scene 40', exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill('scene 321')
  await page.keyboard.press('Enter')
  await scenes.getByRole('button', { name: 'Scene 321', exact: true }).and(page.locator(':focus')).waitFor()
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('the tree of an integration renders only visible rows, and keys reach all rows', async () => {
  const { units } = await running.admin.call<{ units: { id: string; room: string | null }[] }>('GET', '/house')
  // One pick per room: all floors and rooms are partly picked, so they start open.
  const picks = [...new Map(units.map(({ id, room }) => [room, `unit:${id}`])).values()]
  const { integration } = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Wall tablet',
    expose: picks,
  })
  await page.goto(`${visitor.origin}/console/access/${integration.id}`)
  const tree = page.getByRole('tree')
  await tree.getByRole('treeitem', { name: 'Floor 0' }).waitFor()
  expect(await elements()).toBeLessThan(ELEMENTS_MAX)
  await tree.getByRole('treeitem', { name: 'Floor 0' }).focus()
  // The last row is the mode of the home, after the scenes.
  for (const key of ['End', 'ArrowUp', 'ArrowRight', 'End', 'ArrowUp', 'Space']) await page.keyboard.press(key)
  const last = tree.getByRole('treeitem', { name: `Scene ${SCENES - 1}`, checked: true }).and(page.locator(':focus'))
  await last.waitFor()
  expect(await last.getAttribute('aria-posinset')).toBe(String(SCENES))
  await page.getByText('1 thing appears').waitFor()
  await page.keyboard.press('Home')
  await tree.getByRole('treeitem', { name: 'Floor 0' }).and(page.locator(':focus')).waitFor()
  expect(await elements()).toBeLessThan(ELEMENTS_MAX)
  await page.getByRole('button', { name: 'Discard' }).click()
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser)('a preview of everything renders only visible rooms', async () => {
  await page.getByRole('radio', { name: 'Everything' }).check()
  await page.getByRole('button', { name: 'Preview' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Floor 0' }).waitFor()
  expect(await elements()).toBeLessThan(ELEMENTS_MAX)
  await dialog.getByRole('heading', { name: 'Scenes' }).scrollIntoViewIfNeeded()
  await dialog
    .getByRole('heading', { name: /^Floor 4\d$/ })
    .first()
    .waitFor()
  expect(await elements()).toBeLessThan(ELEMENTS_MAX)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  expect(watched.takeProblems()).toEqual([])
})

test.skipIf(!hasBrowser).each(['', 'activity', 'rooms', 'system'])(
  'the page at /console/%s stays small where no unit answers',
  async (path) => {
    await running.hasten(
      expect
        .poll(
          async () =>
            (await running.admin.call<{ units: { unreachable: string[] } }>('GET', '/status')).units.unreachable.length,
        )
        .toBeGreaterThan(100),
    )
    await page.goto(`${visitor.origin}/console/${path}`)
    await page.locator('h1').first().waitFor()
    await page.locator('.wait').first().waitFor({ state: 'detached' })
    expect(await elements()).toBeLessThan(ELEMENTS_MAX)
    expect(watched.takeProblems()).toEqual([])
  },
)
