import { onTestFinished } from 'vitest'
import { type Access, HttpCaller } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { type RelayedHome, relayedHome } from '#support/relay/relayed-home.ts'
import type { RelayView } from '#support/relay/test-relay.ts'

type Mode = 'off' | 'on' | 'only'

export interface EndToEnd extends RelayedHome {
  /** To the gateway's own TLS through the relay: the gateway's own CA is trusted, and no other. */
  readonly access: Access
  /** The home's main integration that way. */
  readonly inside: HttpCaller
  readonly set: (mode: Mode) => Promise<RelayView>
}

const HOUSE = { method: 'GET', path: '/v1/house' }

/** A home that clients reach end to end, behind a relay of its own unless said. */
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

/** The name that the gateway's own certificate is for. */
export const ownName = (home: TestHome): string => `hm-${home.running.gateway.serial}.local`

/** Asks until it is answered: the relay is told of a change by the gateway's next tunnel. Each try waits for its end. */
export async function reached(inside: HttpCaller): Promise<void> {
  while (!(await isReached(inside)));
}

/** Asks until it is not answered any more. */
export async function unreached(inside: HttpCaller): Promise<void> {
  while (await isReached(inside));
}

const isReached = (inside: HttpCaller): Promise<boolean> =>
  inside.call(HOUSE).then(
    () => true,
    () => false,
  )
