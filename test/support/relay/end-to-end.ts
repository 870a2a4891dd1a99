import { onTestFinished } from 'vitest'
import { type Access, HttpCaller } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { type RelayedHome, relayedHome } from '#support/relay/relayed-home.ts'
import type { RelayAnswer } from '#support/relay/test-relay.ts'

type Mode = 'off' | 'on' | 'only'

export interface EndToEnd extends RelayedHome {
  /** Access to the gateway's own TLS through the relay, trusting only the gateway's CA. */
  readonly access: Access
  /** The home's main integration, end to end. */
  readonly inside: HttpCaller
  readonly set: (mode: Mode) => Promise<RelayAnswer>
}

const HOUSE = { method: 'GET', path: '/v1/house' }

/** A home with end-to-end connections, by default behind a relay of its own. */
export async function endToEnd(mode: Mode, open: () => Promise<RelayedHome> = relayedHome): Promise<EndToEnd> {
  const relayed = await open()
  const { relay, home } = relayed
  const set: EndToEnd['set'] = (to) => home.running.admin.call('PUT', '/relay/passthrough', { mode: to })
  const access = { ...home.access(home.main.token), url: relay.url, serverName: ownName(home) }
  const inside = new HttpCaller(access)
  onTestFinished(() => inside[Symbol.asyncDispose]())
  if (mode !== 'off') {
    await set(mode)
    await reached(inside)
  }
  return { ...relayed, access, inside, set }
}

/** Name in the gateway's own certificate. */
export const ownName = (home: TestHome): string => `hm-${home.running.gateway.serial}.local`

/** Repeats a request until it succeeds, because the relay learns of a change only with the gateway's next tunnel. */
export async function reached(inside: HttpCaller): Promise<void> {
  while (!(await isPeerAllowed(inside)));
}

/** Repeats a request until it fails. */
export async function unreached(inside: HttpCaller): Promise<void> {
  while (await isPeerAllowed(inside));
}

const isPeerAllowed = (inside: HttpCaller): Promise<boolean> =>
  inside.call(HOUSE).then(
    () => true,
    () => false,
  )
