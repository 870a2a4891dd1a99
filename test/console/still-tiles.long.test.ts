// @module-tag long
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { CHROMIUM } from '#support/console/browser.ts'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { browserAt } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

if (CHROMIUM === null) console.log('browser: skipped, 2 tests of layout shift (HM_CHROMIUM names a Chromium)')

const SCREENS = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
] as const

/** Chromium rates 0.1 as good. */
const SHIFT_MAX = 0.02

/** Runs in the page: sums the layout shifts without user input. */
const ADD_SHIFTS = `globalThis.shift = 0
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value
}).observe({ type: 'layout-shift', buffered: true })`

/** Sum of the layout shifts, two frames after the last change. */
async function shiftOf(page: Page): Promise<number> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))')
  return page.evaluate<number>('shift')
}

/** Waits until the home page has rendered its rooms and the energy card. */
async function isWhole(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Energy' }).waitFor()
  await page.locator('.plot-wait').waitFor({ state: 'detached' })
}

provesInBrowser('console.still', 'the home page loads without layout shifts', async () => {
  await using running = await TestGateway.open()
  using visitor = new ConsoleVisitor(running)
  const shifts: Record<string, number> = {}
  for (const name of [null, 'Anna'])
    for (const screen of SCREENS) {
      if (name !== null && screen === SCREENS[0]) await running.admin.call('POST', '/persons', { name })
      await using browser = await browserAt(running)
      const page = await browser.newPage()
      await page.setViewportSize(screen)
      await page.addInitScript(ADD_SHIFTS)
      for (const visit of ['first', 'second']) {
        await page.goto('about:blank')
        await page.goto(`${visitor.origin}/console/#${await visitor.link(name ?? undefined)}`)
        await isWhole(page)
        shifts[`${name ?? 'nobody by name'}, ${screen.width} px, ${visit} visit`] = await shiftOf(page)
      }
    }
  console.log(`layout shift: ${JSON.stringify(shifts)}`)
  expect(Object.values(shifts).filter((shift) => shift > SHIFT_MAX)).toEqual([])
})

/** Unit number of the demo home's hall light. */
const HALL_LIGHT = 11

provesInBrowser('console.still', 'an agent’s request, a silent unit and a lost gateway move no tile', async () => {
  const running = await TestGateway.open()
  using visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  await running.admin.call('POST', '/integrations', { name: 'Assistant', settings: { agent_access: 'on' } })
  const anna = await visitor.signInByLink('Anna')
  const { text } = await visitor.as(anna, 'GET', '/admin/home/v1/house')
  const light = /"id":"([^"]+:hall-light)"/.exec(text)?.[1] ?? ''
  await using browser = await browserAt(running)
  const page = await browser.newPage()
  await page.addInitScript(ADD_SHIFTS)
  const shifts: Record<string, number> = {}
  for (const screen of SCREENS) {
    await page.setViewportSize(screen)
    await page.goto('about:blank')
    await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
    await isWhole(page)
    const begun = await shiftOf(page)
    const wish = { gateway: running.gateway.serial, name: `Claude ${screen.width}`, platform: 'Test' }
    expect(await visitor.ask({ method: 'POST', path: '/v1/pair', body: wish })).toMatchObject({ status: 200 })
    await page.locator('.banner.calls').waitFor()
    shifts[`${screen.width} px, an agent asks`] = (await shiftOf(page)) - begun

    running.sim.house.cutMains([HALL_LIGHT])
    const silent = page.locator('.tile.silent')
    // The adapter marks a unit lost after several unanswered requests.
    for (let tries = 1; (await silent.count()) === 0; tries += 1) {
      expect(tries).toBeLessThan(9)
      const path = `/admin/home/v1/devices/${encodeURIComponent(light)}/control`
      await running.hasten(visitor.as(anna, 'POST', path, { op: 'set_power', args: { on: true } }))
    }
    await running.hasten(page.locator('.attention').waitFor())
    shifts[`${screen.width} px, a unit falls silent`] = (await shiftOf(page)) - begun
    running.sim.house.returnMains([HALL_LIGHT])
    await running.hasten(page.locator('.attention').waitFor({ state: 'detached' }))
    shifts[`${screen.width} px, it is back`] = (await shiftOf(page)) - begun
  }
  const begun = await shiftOf(page)
  await running[Symbol.asyncDispose]()
  await page.getByRole('region', { name: 'No connection' }).waitFor()
  shifts['1440 px, the gateway goes'] = (await shiftOf(page)) - begun
  console.log(`layout shift: ${JSON.stringify(shifts)}`)
  expect(Object.values(shifts).filter((shift) => shift > SHIFT_MAX)).toEqual([])
})
