import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { FRESH_MS } from '../../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { type BrowsedGateway, openBrowser, openCarelessBrowser } from './browser.ts'
import { furnishedHome, PASSWORD } from './furnished-home.ts'
import { devicesOf } from './pages.ts'
import { troubledHome } from './troubled-home.ts'
import type { PageFacts } from './console-view.ts'
import type { ViewerKind } from './views.ts'
import { WatchedPage } from './watched-page.ts'

/** A browser at the console, with the facts of its home. */
export interface Look {
  readonly watched: WatchedPage
  readonly facts: PageFacts
}

const servedBy = ({ gateway }: TestGateway): BrowsedGateway => ({
  port: gateway.port,
  ca: readFileSync(gateway.caFile, 'utf8'),
})

/** An administrator whose sign-in is no longer fresh. */
async function lateAdministrator(
  ends: AsyncDisposableStack,
  browserAt: (served: BrowsedGateway) => Promise<BrowserContext>,
): Promise<{ readonly watched: WatchedPage; readonly origin: string }> {
  const clock = new ManualClock(Date.now())
  const running = ends.use(await TestGateway.open({ ...ONE_UNIT, settled: false, clock }))
  const visitor = ends.use(new ConsoleVisitor(running))
  await running.admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
  const watched = await WatchedPage.open(await browserAt(servedBy(running)))
  await watched.page.goto(`${visitor.origin}/console/#${await visitor.link('Anna')}`)
  await watched.page.getByRole('navigation', { name: 'Places' }).waitFor()
  clock.advance(FRESH_MS)
  return { watched, origin: visitor.origin }
}

/** All kinds of viewers of the console, each with a browser and a home. */
export class Viewers implements AsyncDisposable {
  readonly #looks: Readonly<Record<ViewerKind, Look>>
  readonly #ends: AsyncDisposableStack

  private constructor(looks: Readonly<Record<ViewerKind, Look>>, ends: AsyncDisposableStack) {
    this.#looks = looks
    this.#ends = ends
  }

  /** @param folder an empty folder for homes and browsers */
  static async open(folder: string): Promise<Viewers> {
    await using ends = new AsyncDisposableStack()
    const browserAt = async (gateway: BrowsedGateway, name: string): Promise<BrowserContext> =>
      ends.use(await openBrowser(gateway, join(folder, name)))

    const home = ends.use(await furnishedHome(join(folder, 'home')))
    const anna = await WatchedPage.open(await browserAt(home.gateway, 'administrator'))
    await anna.page.goto(`${home.origin}/console/#${await home.link()}`)
    await anna.page.getByRole('navigation', { name: 'Places' }).waitFor()
    const facts: PageFacts = {
      origin: home.origin,
      byAddress: `https://127.0.0.1:${home.gateway.port}`,
      integration: home.integration,
      devices: await devicesOf(anna.page),
      opening: () => home.opening(),
      savedElsewhere: () => home.savedElsewhere(),
      link: async () => `${home.origin}/console/#${await home.link()}`,
    }
    const lena = await WatchedPage.open(await browserAt(home.gateway, 'member'))
    await lena.page.goto(`${home.origin}/console/#${await home.link('Lena')}`)
    await lena.page.getByRole('navigation', { name: 'Places' }).waitFor()
    const stranger = await WatchedPage.open(await browserAt(home.gateway, 'stranger'))

    // A browser without the CA that ignores the warning.
    const careless = ends.use(await openCarelessBrowser(join(folder, 'careless')))
    const unverified = await WatchedPage.open(careless)
    await unverified.page.goto(`${home.origin}/console/#${await home.link()}`)
    await unverified.page.getByRole('navigation', { name: 'Places' }).waitFor()

    const fresh = ends.use(await TestGateway.open({ ...ONE_UNIT, settled: false, setupCode: 'KITCHEN-4711' }))
    const visitor = ends.use(new ConsoleVisitor(fresh))
    const served = servedBy(fresh)
    const newFacts: PageFacts = { ...facts, origin: visitor.origin }
    const newcomer = await WatchedPage.open(await browserAt(served, 'newcomer'))
    const nameless = await WatchedPage.open(await browserAt(served, 'nameless'))
    await nameless.page.goto(`${visitor.origin}/console/#${await visitor.link()}`)
    await nameless.page.getByRole('navigation', { name: 'Places' }).waitFor()
    const troubled = await troubledHome(ends)
    const anxious = await WatchedPage.open(await browserAt(servedBy(troubled.running), 'troubled'))
    await anxious.page.goto(`${troubled.visitor.origin}/console/#${await troubled.visitor.link('Anna')}`)
    await anxious.page.getByRole('navigation', { name: 'Places' }).waitFor()
    const late = await lateAdministrator(ends, (served) => browserAt(served, 'stale'))
    const looks = {
      administrator: { watched: anna, facts },
      member: { watched: lena, facts },
      stranger: { watched: stranger, facts },
      unverified: { watched: unverified, facts },
      newcomer: { watched: newcomer, facts: newFacts },
      nameless: { watched: nameless, facts: newFacts },
      troubled: {
        watched: anxious,
        facts: { ...facts, origin: troubled.visitor.origin, devices: await devicesOf(anxious.page) },
      },
      stale: { watched: late.watched, facts: { ...facts, origin: late.origin } },
    }
    return new Viewers(looks, ends.move())
  }

  of(viewer: ViewerKind): Look {
    return this.#looks[viewer]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ends.disposeAsync()
  }
}
