// `npm run console:pictures [-- NAME …]`: every page of the console, or those named, as pictures on a desk and on a
// phone, light and dark, in console/pictures/, which is in no commit. `-- --forced` makes them in the colours of the
// system alone (high contrast), `-- --readme` makes docs/pictures/home.png.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHROMIUM } from '#support/console/browser.ts'
import { Onlookers } from '#support/console/onlookers.ts'
import { SCHEMES, SCREENS, show } from '#support/console/pages.ts'
import type { ConsoleView } from '#support/console/console-view.ts'
import { type Onlooker, VIEWS_OF } from '#support/console/views.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const FOLDER = join(PROJECT_ROOT, 'console/pictures')
const README_SCREEN = { width: 1180, height: 760 } as const

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false }, forced: { type: 'boolean', default: false } },
})
if (CHROMIUM === null) throw new Error('There is no browser here: HM_CHROMIUM names a Chromium.')
const folder = mkdtempSync(join(tmpdir(), 'hm-pictures-'))
try {
  await using onlookers = await Onlookers.open(folder)
  if (values.readme) await readmePicture(onlookers)
  else {
    mkdirSync(FOLDER, { recursive: true })
    for (const [onlooker, views] of Object.entries(VIEWS_OF) as [Onlooker, readonly ConsoleView[]][])
      for (const view of views.filter(({ name }) => asked.length === 0 || asked.includes(name)))
        await picture(onlookers, onlooker, view)
    console.log(`Pictures are in ${FOLDER}.`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function readmePicture(onlookers: Onlookers): Promise<void> {
  const { watched, facts } = onlookers.of('administrator')
  await show(watched.page, VIEWS_OF.administrator[0]!, facts, README_SCREEN)
  await watched.page.screenshot({ path: join(PROJECT_ROOT, 'docs/pictures/home.png') })
}

/** In all four looks; all of a page, of a dialog what the screen shows. */
async function picture(onlookers: Onlookers, onlooker: Onlooker, view: ConsoleView): Promise<void> {
  const {
    watched: { page },
    facts,
  } = onlookers.of(onlooker)
  for (const screen of SCREENS) {
    await show(page, view, facts, screen)
    // What stays at the edge of the screen is drawn once, at the edge of a screen that shows all.
    const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
    if ((await page.getByRole('dialog').count()) === 0) await page.setViewportSize({ ...screen, height: whole })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', forcedColors: values.forced ? 'active' : 'none' })
      const name = `${view.name}-${values.forced ? 'forced-' : ''}${colorScheme}-${screen.width}`
      await page.screenshot({ path: join(FOLDER, `${name}.png`) })
    }
  }
}
