import { expect } from 'vitest'
import { THROUGH_RELAY } from '#support/relay/mode.ts'
import type { Relay as RunningRelay } from '../../../relay/relay.ts'

/** A gateway of the tests. */
type Gateway = object

/** A relay of the tests. */
interface Relay {
  readonly relay: Pick<RunningRelay, 'openCounts'>
}

/**
 * On a quiet machine all is over within a second. A leak lasts for good, or until a timeout of the product, of which the
 * shortest is 30 s: an unanswered request, body or close frame.
 */
const ENDED_MS = 10_000

const NOTHING: ReturnType<RunningRelay['openCounts']> = { tunnels: 0, streams: 0, nodeStreams: 0, endToEnd: 0 }

/** The gateways at each relay of the tests. */
const gatewaysOf = new Map<Relay, Set<Gateway>>()

/** From now on the gateway's tests must leave nothing open at this relay. */
export function watchStreams(home: Gateway, relay: Relay): void {
  const gateways = gatewaysOf.get(relay) ?? new Set()
  gatewaysOf.set(relay, gateways.add(home))
}

/** The relay stops: nobody can look at it any more. */
export function forget(relay: Relay): void {
  gatewaysOf.delete(relay)
}

/**
 * Stops a gateway of the tests. Its clients have left by then, so that no request, socket or end-to-end connection is
 * open at its relays. With its last gateway a relay has nothing open, which also holds for the tests of requirements:
 * they leave their sockets to the stop.
 */
export async function stopWithNothingLeft(home: Gateway, stop: () => Promise<void>): Promise<void> {
  const relays = [...gatewaysOf].filter(([, gateways]) => gateways.has(home))
  try {
    if (!THROUGH_RELAY) for (const [relay] of relays) await expectNoStreams(relay)
  } finally {
    await stop()
  }
  for (const [relay, gateways] of relays) {
    gateways.delete(home)
    if (gateways.size === 0) await expectSoon(() => relay.relay.openCounts(), NOTHING)
  }
}

/** At this relay no request, socket or end-to-end connection is open. */
export async function expectNoStreams({ relay }: Relay): Promise<void> {
  await expectSoon(() => ({ ...relay.openCounts(), tunnels: 0 }), NOTHING)
}

/** As `expect.poll`, which cannot be used after the tests of a file. */
async function expectSoon(read: () => unknown, expected: unknown): Promise<void> {
  const began = performance.now()
  for (;;) {
    const found = await read()
    try {
      return expect(found, 'left open at the relay').toEqual(expected)
    } catch (error) {
      if (performance.now() - began > ENDED_MS) throw error
    }
    await new Promise(setImmediate)
  }
}
