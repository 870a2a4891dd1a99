// `npm run console:pictures [-- NAME …]` makes pictures of all or the named views, for desktop and phone, light and dark,
// in console/pictures/ (not in git). `-- --forced` uses forced colours (high contrast), `-- --readme` makes
// docs/pictures/home.png.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHROMIUM } from '#support/console/browser.ts'
import { Viewers } from '#support/console/viewers.ts'
import { SCHEMES, SCREENS, show } from '#support/console/pages.ts'
import type { ConsoleView } from '#support/console/console-view.ts'
import { type ViewerKind, VIEWS_OF } from '#support/console/views.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const FOLDER = join(PROJECT_ROOT, 'console/pictures')
const README_SCREEN = { width: 1180, height: 760 } as const

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false }, forced: { type: 'boolean', default: false } },
})
if (CHROMIUM === null) throw new Error('There is no browser here: HM_CHROMIUM names a Chromium.')
const folder = mkdtempSync(join(tmpdir(), 'hm-pictures-'))
try {
  await using viewers = await Viewers.open(folder)
  if (values.readme) await readmePicture(viewers)
  else {
    mkdirSync(FOLDER, { recursive: true })
    for (const [viewer, views] of Object.entries(VIEWS_OF) as [ViewerKind, readonly ConsoleView[]][])
      for (const view of views.filter(({ name }) => names.length === 0 || names.includes(name)))
        await picture(viewers, viewer, view)
    console.log(`Pictures are in ${FOLDER}.`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function readmePicture(viewers: Viewers): Promise<void> {
  const { watched, facts } = viewers.of('administrator')
  await show(watched.page, VIEWS_OF.administrator[0]!, facts, README_SCREEN)
  await watched.page.screenshot({ path: join(PROJECT_ROOT, 'docs/pictures/home.png') })
}

/** Makes all four pictures: the whole page, or the screen for a dialog. */
async function picture(viewers: Viewers, viewer: ViewerKind, view: ConsoleView): Promise<void> {
  const {
    watched: { page },
    facts,
  } = viewers.of(viewer)
  for (const screen of SCREENS) {
    await show(page, view, facts, screen)
    // The screen grows to the whole page, so that fixed parts appear once.
    const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
    if ((await page.getByRole('dialog').count()) === 0) await page.setViewportSize({ ...screen, height: whole })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', forcedColors: values.forced ? 'active' : 'none' })
      const name = `${view.name}-${values.forced ? 'forced-' : ''}${colorScheme}-${screen.width}`
      await page.screenshot({ path: join(FOLDER, `${name}.png`) })
    }
  }
}
