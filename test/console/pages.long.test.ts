// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { CHROMIUM } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { Onlookers } from '#support/console/onlookers.ts'
import { SCREENS, show } from '#support/console/pages.ts'
import { faultsOf } from '#support/console/sound.ts'
import type { ConsoleView } from '#support/console/console-view.ts'
import { type Onlooker, VIEWS_OF } from '#support/console/views.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, every page of the console (HM_CHROMIUM names a Chromium)')

let folder: string
let onlookers: Onlookers

beforeAll(async () => {
  if (!hasBrowser) return
  folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
  onlookers = await Onlookers.open(folder)
})

afterAll(async () => {
  if (!hasBrowser) return
  await onlookers[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const views = (Object.entries(VIEWS_OF) as [Onlooker, readonly ConsoleView[]][]).flatMap(([onlooker, all]) =>
  all.flatMap((view) => SCREENS.map((screen) => ({ view, screen, onlooker }))),
)

for (const { view, screen, onlooker } of views)
  provesInBrowser(['console.everybody', 'console.policy'], `${view.name}, ${screen.width} px wide`, async () => {
    const { watched, facts } = onlookers.of(onlooker)
    await show(watched.page, view, facts, screen)
    expect(await faultsOf(watched.page)).toEqual([])
    await watched.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    expect(await faultsOf(watched.page, 'colours')).toEqual([])
    const { tells = [] } = view
    expect(watched.taken().filter((each) => !tells.some((part) => each.includes(part)))).toEqual([])
  })

provesInBrowser('console.policy', 'what a page tries against its policy is seen', async () => {
  const { watched, facts } = onlookers.of('stranger')
  await watched.page.goto(`${facts.origin}/console/trust`)
  await watched.page.evaluate(
    "document.body.append(Object.assign(document.createElement('style'), { textContent: 'p{}' }))",
  )
  await expect.poll(() => watched.taken()).toContainEqual(expect.stringContaining('policy style-src-elem: inline'))
})
