// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { failingHome } from '#support/faults/failing-home.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'

/** Warning of the page while the disk has not stored a change. */
const UNSTORED = 'The disk accepts no writes.'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 1 test of a failing disk (HM_CHROMIUM names a Chromium)')

provesInBrowser('console.unstored', 'every removal on a failing disk warns that it is not stored yet', async () => {
  const { running, home, other, fails, heals } = await failingHome()
  await using _ = running
  using visitor = new ConsoleVisitor(running)
  for (const name of ['Anna', 'Ben']) await running.admin.call('POST', '/persons', { name })
  await running.admin.call('POST', '/operators', { name: 'Prometheus', scopes: ['metrics'] })
  const doomed = await home.integrate({ name: 'Wall tablet' })
  await visitor.signInByLink('Ben')
  await using browser = await browserAt(running)
  const page = await browser.newPage()
  await page.goto(`${visitor.origin}/console/system/sessions#${await visitor.link('Anna')}`)
  await page.getByRole('button', { name: 'You are Anna' }).waitFor()
  await fails()

  const ends = async (verb: string | RegExp): Promise<string> => {
    await page.getByRole('button', { name: verb }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: verb }).click()
    return notice(page)
  }
  expect(await ends(/^Sign out .*Ben/)).toContain(UNSTORED)
  await page.goto(`${visitor.origin}/console/system/operators`)
  expect(await ends('Revoke the token Prometheus')).toContain(UNSTORED)
  await page.goto(`${visitor.origin}/console/access/${other.id}`)
  expect(await ends(/^Revoke (?!the)/)).toContain(UNSTORED)
  await page.goto(`${visitor.origin}/console/access/${other.id}`)
  await page.getByRole('switch', { name: 'Enabled' }).click()
  expect(await notice(page)).toContain(UNSTORED)
  await page.goto(`${visitor.origin}/console/access/${doomed.id}`)
  expect(await ends(/^Delete/)).toContain(UNSTORED)
  await page.goto(`${visitor.origin}/console/system/persons`)
  const ben = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Ben' }) })
  await ben.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Ben' }).click()
  expect(await notice(page)).toMatch(/^Ben .*The disk accepts no writes/)
  await heals()
})

/** Text of the notice about the disk. */
async function notice(page: Page): Promise<string> {
  const foot = page.getByRole('region', { name: 'Notice' }).filter({ hasText: 'disk' })
  await foot.waitFor()
  return foot.innerText()
}
