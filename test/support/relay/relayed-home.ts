import { afterAll, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { TestGateway, type TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { HttpCaller } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestRelay, type TestRelayOptions } from './test-relay.ts'

export interface RelayedHome {
  readonly relay: TestRelay
  readonly home: TestHome
  /** The home's main integration, through the relay. */
  readonly through: HttpCaller
}

/** A home whose time stands still, so that responses are the same on every path. */
export const atOneMoment = (): TestGatewayOptions => ({
  clock: new ManualClock(Date.now()),
  relayClock: systemClock,
  settled: false,
})

/** A home behind a relay of its own, by default linked to an account. */
export async function relayedHome({
  linked = true,
  gateway = {},
  ...options
}: TestRelayOptions & {
  readonly linked?: boolean
  readonly gateway?: TestGatewayOptions
} = {}): Promise<RelayedHome> {
  const relay = await TestRelay.open(options)
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const home = await TestHome.open('http', gateway)
  onTestFinished(() => home[Symbol.asyncDispose]())
  if (linked) await relay.serve(home.running)
  const through = new HttpCaller(relay.access(home.main.token))
  onTestFinished(() => through[Symbol.asyncDispose]())
  return { relay, home, through }
}

/**
 * Opens homes behind one relay and gateway, which the tests of a file share. Each test has an integration of its own,
 * and must not depend on other tests.
 */
export function sharedRelayedHome(): () => Promise<RelayedHome> {
  const shared = new AsyncDisposableStack()
  afterAll(() => shared.disposeAsync())
  const open = async () => {
    const relay = shared.use(await TestRelay.open())
    const running = shared.use(await TestGateway.open())
    await relay.serve(running)
    return { relay, running }
  }
  let opened: ReturnType<typeof open> | null = null
  return async () => {
    opened ??= open()
    const { relay, running } = await opened
    const home = await TestHome.at('http', running)
    onTestFinished(() => home[Symbol.asyncDispose]())
    const through = new HttpCaller(relay.access(home.main.token))
    onTestFinished(() => through[Symbol.asyncDispose]())
    return { relay, home, through }
  }
}
