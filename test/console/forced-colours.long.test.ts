// @module-tag long
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { provesInBrowser } from '#support/console/proves-in-browser.ts'
import { browserAt, CHROMIUM } from '#support/gateway/chromium.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 1 test (HM_CHROMIUM names a Chromium)')

/** Runs in the page: colours of a picture at relative positions `[x, y]`. */
const COLOURS_AT = `async ([base64, places]) => {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const drawing = new OffscreenCanvas(image.width, image.height).getContext('2d')
  drawing.drawImage(image, 0, 0)
  return places.map(([across, down]) => {
    const [x, y] = [Math.floor(image.width * across), Math.floor(image.height * down)]
    return drawing.getImageData(x, y, 1, 1).data.slice(0, 3).join(' ')
  })
}`

async function coloursAt(part: Locator, places: readonly (readonly [number, number])[]): Promise<readonly string[]> {
  const png = (await part.screenshot()).toString('base64')
  return part.page().evaluate<string[]>(`(${COLOURS_AT})(${JSON.stringify([png, places])})`)
}

/** Positions on a switch; its thumb is at the first while it is off. */
const SWITCH = [
  [0.3, 0.5],
  [0.45, 0.5],
  [0.6, 0.5],
] as const
/** Positions on a slider away from its thumb, from above to below its track. */
const TRACK = Array.from({ length: 44 }, (_, at) => [0.9, at / 44] as const)

const edgeBelow = (page: Page, chosen: boolean): Promise<string> =>
  page.evaluate<string>(
    `getComputedStyle(document.querySelector('[role=tab][aria-selected=${chosen}]')).borderBottomColor`,
  )

provesInBrowser(
  'console.forced-colours',
  'forced colours show the state of a switch, the track of a slider and the chosen tab',
  async () => {
    await using running = await TestGateway.open()
    using visitor = new ConsoleVisitor(running)
    await running.admin.call('POST', '/persons', { name: 'Anna' })
    await using browser = await browserAt(running)
    const page = await browser.newPage()
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
    const hallLight = page.getByRole('switch', { name: 'Hall light', exact: true })
    await hallLight.waitFor()
    const off = await coloursAt(hallLight, SWITCH)
    await hallLight.click()
    await running.hasten(page.locator('[role=switch][aria-label="Hall light"][aria-checked=true]').waitFor())
    const on = await coloursAt(hallLight, SWITCH)
    // The thumb and its track differ in colour, and the track is filled while on.
    expect(off[0]).not.toBe(off[2])
    expect(on[0]).not.toBe(on[2])
    expect(on[1]).not.toBe(off[1])

    const slider = page.getByRole('slider', { name: 'Brightness of Ceiling light' })
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(new Set(await coloursAt(slider, TRACK)).size).toBeGreaterThan(1)

    expect(await edgeBelow(page, false)).toBe(ground)
    expect(await edgeBelow(page, true)).not.toBe(ground)
  },
)
