import { expect } from 'vitest'
import type { TestAdmin } from '#support/gateway/test-admin.ts'
import type { UnderWay } from '../../../relay/under-way.ts'

/** A gateway of the tests. */
interface Gateway {
  readonly admin: Pick<TestAdmin, 'call'>
}

/** A relay of the tests. */
interface Relay {
  readonly relay: { underWay(): UnderWay }
}

interface Tunnels {
  readonly tunnels: readonly { readonly streams: number }[]
}

/** Streams and tunnels that nobody needs any more end within this time. */
const ENDED_MS = 1_000

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
 * Stops a gateway of the tests. Its clients have left, so that no request, socket or end-to-end connection may be open
 * at either end of its tunnels; the tunnels end with it.
 */
export async function stopWithNothingLeft(home: Gateway, stop: () => Promise<void>): Promise<void> {
  const relays = [...gatewaysOf].filter(([, gateways]) => gateways.has(home)).map(([relay]) => relay)
  try {
    for (const relay of relays) await expectNoStreams(relay)
    if (relays.length > 0) await expectSoon(() => streamsAt(home), 0)
  } finally {
    await stop()
  }
  for (const relay of relays) await expectNoTunnels(relay, home)
}

/** At this relay no request, socket or end-to-end connection is open. */
export async function expectNoStreams({ relay }: Relay): Promise<void> {
  const read = (): object => ({ ...relay.underWay(), tunnels: 0 })
  await expectSoon(read, { tunnels: 0, streams: 0, nodeStreams: 0, endToEnd: 0 })
}

/** The last gateway of a relay leaves no tunnel there. */
async function expectNoTunnels(relay: Relay, home: Gateway): Promise<void> {
  const gateways = gatewaysOf.get(relay)
  gateways?.delete(home)
  if (gateways?.size === 0) await expectSoon(() => relay.relay.underWay().tunnels, 0)
}

async function streamsAt(home: Gateway): Promise<number> {
  const { tunnels } = await home.admin.call<Tunnels>('GET', '/relay')
  return tunnels.reduce((sum, { streams }) => sum + streams, 0)
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
