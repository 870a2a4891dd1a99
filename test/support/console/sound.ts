import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules that light and dark differ in. */
const COLOURS = { runOnly: { type: 'rule' as const, values: ['color-contrast', 'link-in-text-block'] } }

/**
 * What is wrong with a page as it stands: axe's rules, and whether it is wider than the screen or has no one title.
 * `only` the colours, where the same page was looked at in others.
 */
export async function faultsOf(page: Page, only?: 'colours'): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    only === 'colours' ? COLOURS : {},
  )
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  const titles = await page.locator('h1').count()
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ...(over > 0 ? [`scrolls sideways by ${over} px`] : []),
    ...(titles === 1 ? [] : [`has ${titles} titles`]),
  ]
}
