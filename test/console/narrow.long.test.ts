// @module-tag long
import { expect } from 'vitest'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { faultsOf } from '#support/console/page-faults.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

if (CHROMIUM === null) console.log('browser: skipped, 1 test of phones (HM_CHROMIUM names a Chromium)')

provesInBrowser(
  'console.narrow',
  'phones list all parts of the system by name, and mark and reach floors beyond the edge',
  async () => {
    await using running = await TestGateway.open()
    using visitor = new ConsoleVisitor(running)
    await running.admin.call('POST', '/persons', { name: 'Anna' })
    await using browser = await browserAt(running)
    const page = await browser.newPage()
    await page.setViewportSize({ width: 360, height: 780 })
    await page.goto(`${visitor.origin}/console/system#${await visitor.link('Anna')}`)
    const parts = page.getByRole('navigation', { name: 'Parts of the system' })
    const list = parts.locator('summary')
    await list.focus()
    await page.keyboard.press('Enter')
    expect(await parts.getByRole('link').count()).toBe(10)
    await expect.poll(() => parts.getByRole('link', { name: 'About' }).isVisible()).toBe(true)
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Back up now' }).waitFor()
    await expect.poll(() => parts.getByRole('link').count()).toBe(0)
    expect(await list.textContent()).toBe('Backup')

    await page.goto(`${visitor.origin}/console/`)
    const floors = page.getByRole('tablist', { name: 'Floors' })
    const edges = async (): Promise<readonly boolean[]> =>
      Promise.all(['data-before', 'data-after'].map(async (side) => (await floors.getAttribute(side)) !== null))
    await expect.poll(edges).toEqual([false, true])
    await floors.getByRole('tab').first().focus()
    await page.keyboard.press('End')
    await expect.poll(edges).toEqual([true, false])
    const [strip, garden] = await Promise.all([
      floors.boundingBox(),
      floors.getByRole('tab', { name: 'Garden' }).boundingBox(),
    ])
    expect(garden!.x + garden!.width).toBeLessThanOrEqual(strip!.x + strip!.width + 1)
    // The chosen floor is visible after a reload, too.
    await page.getByRole('link', { name: 'System' }).click()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await expect.poll(edges).toEqual([true, false])
  },
)
