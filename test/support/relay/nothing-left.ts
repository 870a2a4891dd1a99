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
 * On a quiet machine everything ends within a second. A leak lasts at least as long as the shortest timeout of the
 * product, which is 30 s.
 */
const ENDED_MS = 10_000

const NOTHING: ReturnType<RunningRelay['openCounts']> = { tunnels: 0, streams: 0, nodeStreams: 0, endToEnd: 0 }

/** The gateways at each relay of the tests. */
const gatewaysOf = new Map<Relay, Set<Gateway>>()

/** The gateway's tests must leave nothing open at this relay from now on. */
export function watchStreams(home: Gateway, relay: Relay): void {
  const gateways = gatewaysOf.get(relay) ?? new Set()
  gatewaysOf.set(relay, gateways.add(home))
}

/** Called when the relay stops. */
export function forget(relay: Relay): void {
  gatewaysOf.delete(relay)
}

/**
 * Stops a gateway of the tests. Its clients have disconnected by then, so that no request, socket or end-to-end
 * connection is open at its relays. A relay without gateways has nothing open. Tests of requirements also leave their
 * sockets to this stop.
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

/** Expects that no request, socket or end-to-end connection is open at this relay. */
export async function expectNoStreams({ relay }: Relay): Promise<void> {
  await expectSoon(() => ({ ...relay.openCounts(), tunnels: 0 }), NOTHING)
}

/** Replaces `expect.poll`, which cannot be used after the tests of a file. */
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
