// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { CHROMIUM } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { Viewers } from '#support/console/viewers.ts'
import { SCREENS, show } from '#support/console/pages.ts'
import { faultsOf } from '#support/console/page-faults.ts'
import type { ConsoleView } from '#support/console/console-view.ts'
import { type ViewerKind, VIEWS_OF } from '#support/console/views.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, every page of the console (HM_CHROMIUM names a Chromium)')

let folder: string
let viewers: Viewers

beforeAll(async () => {
  if (!hasBrowser) return
  folder = mkdtempSync(join(tmpdir(), 'hm-test-'))
  viewers = await Viewers.open(folder)
})

afterAll(async () => {
  if (!hasBrowser) return
  await viewers[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const views = (Object.entries(VIEWS_OF) as [ViewerKind, readonly ConsoleView[]][]).flatMap(([viewer, all]) =>
  all.flatMap((view) => SCREENS.map((screen) => ({ view, screen, viewer }))),
)

for (const { view, screen, viewer } of views)
  provesInBrowser(['console.everybody', 'console.policy'], `${view.name}, ${screen.width} px wide`, async () => {
    const { watched, facts } = viewers.of(viewer)
    await show(watched.page, view, facts, screen)
    expect(await faultsOf(watched.page)).toEqual([])
    await watched.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    expect(await faultsOf(watched.page, 'colours')).toEqual([])
    const { tells = [] } = view
    expect(watched.takeProblems().filter((problem) => !tells.some((part) => problem.includes(part)))).toEqual([])
  })

provesInBrowser('console.policy', 'the tests notice breaches of the content policy', async () => {
  const { watched, facts } = viewers.of('stranger')
  await watched.page.goto(`${facts.origin}/console/trust`)
  await watched.page.evaluate(
    "document.body.append(Object.assign(document.createElement('style'), { textContent: 'p{}' }))",
  )
  await expect
    .poll(() => watched.takeProblems())
    .toContainEqual(expect.stringContaining('policy style-src-elem: inline'))
})
