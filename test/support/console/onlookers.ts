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
import type { Onlooker } from './views.ts'
import { WatchedPage } from './watched-page.ts'

/** A browser of somebody who looks at the console. */
export interface Look {
  readonly watched: WatchedPage
  readonly facts: PageFacts
}

const servedBy = ({ gateway }: TestGateway): BrowsedGateway => ({
  port: gateway.port,
  ca: readFileSync(gateway.caFile, 'utf8'),
})

/** Somebody with a password who signed in so long ago that they are asked for it again. */
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

/** Everybody who looks at the console: each in a browser of their own, at a furnished home or a new one. */
export class Onlookers implements AsyncDisposable {
  readonly #looks: Readonly<Record<Onlooker, Look>>
  readonly #ends: AsyncDisposableStack

  private constructor(looks: Readonly<Record<Onlooker, Look>>, ends: AsyncDisposableStack) {
    this.#looks = looks
    this.#ends = ends
  }

  /** @param folder an empty folder of the caller's, for homes and browsers */
  static async open(folder: string): Promise<Onlookers> {
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
    const stranger = await WatchedPage.open(await browserAt(home.gateway, 'stranger'))

    // A browser that was told nothing of the CA, and goes on all the same.
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
    return new Onlookers(looks, ends.move())
  }

  of(onlooker: Onlooker): Look {
    return this.#looks[onlooker]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ends.disposeAsync()
  }
}
