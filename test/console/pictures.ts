// `npm run console:pictures [-- NAME …]`: every page of the console, or those named, as pictures on a desk and on a
// phone, light and dark, in console/pictures/, which is in no commit. `-- --readme` makes docs/console.png.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isBuilt } from '#support/console/build.ts'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { furnishedHome } from '#support/console/furnished-home.ts'
import { CONSOLE_PAGES, lampOf, look, LOOKS } from '#support/console/pages.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const FOLDER = join(PROJECT_ROOT, 'console/pictures')
const README_LOOK = { colorScheme: 'light', width: 1180, height: 760 } as const

const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false } },
})
if (!isBuilt) throw new Error('The console is not built.')
if (CHROMIUM === null) throw new Error('There is no browser here: HM_CHROMIUM names a Chromium.')
const folder = mkdtempSync(join(tmpdir(), 'hm-pictures-'))
try {
  await using home = await furnishedHome(join(folder, 'home'))
  await using browser = await openBrowser(home.gateway, join(folder, 'browser'))
  const page = await browser.newPage()
  await page.goto(`${home.origin}/console/#${await home.link()}`)
  await page.getByRole('navigation').waitFor()
  const facts = { device: await lampOf(page), integration: home.integration }
  if (values.readme) {
    await look(page, `${home.origin}/console/`, README_LOOK)
    await page.screenshot({ path: join(PROJECT_ROOT, 'docs/console.png') })
  } else {
    mkdirSync(FOLDER, { recursive: true })
    for (const { name, path } of CONSOLE_PAGES.filter((each) => asked.length === 0 || asked.includes(each.name)))
      for (const each of LOOKS) {
        await look(page, `${home.origin}${path(facts)}`, each)
        await page.screenshot({ path: join(FOLDER, `${name}-${each.colorScheme}-${each.width}.png`) })
      }
    console.log(`Pictures are in ${FOLDER}.`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
