import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Rules whose result depends on the colour scheme. */
const COLOURS = { runOnly: { type: 'rule' as const, values: ['color-contrast', 'link-in-text-block'] } }

/** Runs in the page: innermost elements beyond the right edge. */
const WIDE = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .filter((element, at, all) => !all.some((other) => other !== element && element.contains(other)))
  .map((element) => element.outerHTML.slice(0, 120)).slice(0, 3).join(' ')`

/** Runs in the page: elements that clip their text without an ellipsis. */
const CUT = `[...document.querySelectorAll('body :not(.unseen)')]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.textContent.trim() !== '')
  .filter((element) => getComputedStyle(element).overflowX === 'hidden' && getComputedStyle(element).textOverflow === 'clip')
  .map((element) => 'clips its text: ' + element.outerHTML.slice(0, 120)).slice(0, 3)`

/**
 * Faults of the current page: violations of axe, clipped text, sideways scrolling, and a missing or second title. `only`
 * limits the check to colours, for a page that was checked in another scheme.
 */
export async function faultsOf(page: Page, only?: 'colours'): Promise<readonly string[]> {
  // Colours in a transition would fail.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    only === 'colours' ? COLOURS : {},
  )
  const titles = await page.locator('h1').count()
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ...(await tooWide(page)),
    ...(await page.evaluate<readonly string[]>(CUT)),
    ...(titles === 1 ? [] : [`has ${titles} titles`]),
  ]
}

/** Elements that make the page wider than its screen; empty if none do. */
export async function tooWide(page: Page): Promise<readonly string[]> {
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return over > 0 ? [`scrolls sideways by ${over} px: ${await page.evaluate<string>(WIDE)}`] : []
}
