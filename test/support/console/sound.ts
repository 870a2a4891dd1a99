import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules that light and dark differ in. */
const COLOURS = { runOnly: { type: 'rule' as const, values: ['color-contrast', 'link-in-text-block'] } }

/** In the page: the innermost elements that reach over its right edge. */
const WIDE = `[...document.querySelectorAll('body *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .filter((each, at, all) => !all.some((other) => other !== each && each.contains(other)))
  .map((each) => each.outerHTML.slice(0, 120)).slice(0, 3).join(' ')`

/** In the page: what hides a part of its words, without the dots that say so. */
const CUT = `[...document.querySelectorAll('body :not(.unseen)')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.textContent.trim() !== '')
  .filter((each) => getComputedStyle(each).overflowX === 'hidden' && getComputedStyle(each).textOverflow === 'clip')
  .map((each) => 'cuts its words: ' + each.outerHTML.slice(0, 120)).slice(0, 3)`

/**
 * What is wrong with a page as it stands: axe's rules, words that are cut, and whether it is wider than the screen or
 * has no one title.
 * `only` the colours, where the same page was looked at in others.
 */
export async function faultsOf(page: Page, only?: 'colours'): Promise<readonly string[]> {
  // A colour on its way to another is nobody's choice.
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

/** How a page is wider than its screen; empty where it is not. */
export async function tooWide(page: Page): Promise<readonly string[]> {
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return over > 0 ? [`scrolls sideways by ${over} px: ${await page.evaluate<string>(WIDE)}`] : []
}
