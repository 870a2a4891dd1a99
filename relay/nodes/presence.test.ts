import { describe, expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { MemoryBus, MemoryHub } from '../bus/memory-bus.ts'
import { Presence, PRESENCE_INTERVAL_MS, SILENCE_MAX_MS } from './presence.ts'

const delivered = (): Promise<void> => new Promise(setImmediate)

function nodeOn(hub: MemoryHub, clock: ManualClock, node: string) {
  let calls = 0
  const presence = new Presence({ bus: new MemoryBus(hub), node, clock, onFirstPeer: () => (calls += 1) })
  return { presence, firstPeerCalls: () => calls }
}

describe('the presence of nodes', () => {
  test('a new node and all others know each other at once, and a leaving node is forgotten at once', async () => {
    const [hub, clock] = [new MemoryHub(), new ManualClock()]
    const one = nodeOn(hub, clock, 'one')
    expect(one.presence.count).toBe(1)
    const two = nodeOn(hub, clock, 'two')
    const three = nodeOn(hub, clock, 'three')
    await delivered()
    expect([one, two, three].map(({ presence }) => presence.count)).toEqual([3, 3, 3])
    expect(one.firstPeerCalls()).toBe(1)
    two.presence[Symbol.dispose]()
    await delivered()
    expect([one.presence.count, three.presence.count]).toEqual([2, 2])
  })

  test('a late node knows that there are others before it accepts gateways', async () => {
    const [hub, clock] = [new MemoryHub(), new ManualClock()]
    nodeOn(hub, clock, 'one')
    const two = nodeOn(hub, clock, 'two')
    await two.presence.discover()
    expect([two.presence.count, two.firstPeerCalls()]).toEqual([2, 1])
    hub.isUp = false
    await nodeOn(hub, clock, 'three').presence.discover()
    hub.reconnect()
    const alone = nodeOn(new MemoryHub(), clock, 'four')
    await alone.presence.discover()
    expect(alone.presence.count).toBe(1)
  })

  test('a silent node is counted for a while, and that time does not run while the bus is disconnected', async () => {
    const [hub, clock] = [new MemoryHub(), new ManualClock()]
    const one = nodeOn(hub, clock, 'one')
    const quiet = new MemoryBus(hub)
    quiet.publish('hmr.v1.nodes', { node: 'two', isHere: true })
    quiet.publish('hmr.v1.nodes', { node: 'NOT A NODE', isHere: true })
    await delivered()
    expect(one.presence.count).toBe(2)
    hub.isUp = false
    clock.advance(10 * SILENCE_MAX_MS)
    expect(one.presence.count).toBe(2)
    hub.reconnect()
    clock.advance(SILENCE_MAX_MS - PRESENCE_INTERVAL_MS)
    expect(one.presence.count).toBe(2)
    clock.advance(2 * PRESENCE_INTERVAL_MS)
    expect(one.presence.count).toBe(1)
  })
})
