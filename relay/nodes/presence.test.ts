import { describe, expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { MemoryBus, MemoryHub } from '../bus/memory-bus.ts'
import { GONE_MS, HERE_EACH_MS, Presence } from './presence.ts'

const heard = (): Promise<void> => new Promise(setImmediate)

function nodeOn(hub: MemoryHub, clock: ManualClock, node: string) {
  let several = 0
  const presence = new Presence({ bus: new MemoryBus(hub), node, clock, severalNow: () => (several += 1) })
  return { presence, several: () => several }
}

describe('which nodes there are', () => {
  test('who comes is known to all, and knows all, at once; who leaves is forgotten at once', async () => {
    const [hub, clock] = [new MemoryHub(), new ManualClock()]
    const one = nodeOn(hub, clock, 'one')
    expect(one.presence.count).toBe(1)
    const two = nodeOn(hub, clock, 'two')
    const three = nodeOn(hub, clock, 'three')
    await heard()
    expect([one, two, three].map(({ presence }) => presence.count)).toEqual([3, 3, 3])
    expect(one.several()).toBe(1)
    two.presence[Symbol.dispose]()
    await heard()
    expect([one.presence.count, three.presence.count]).toEqual([2, 2])
  })

  test('who comes late knows that there are others before it lets gateways in', async () => {
    const [hub, clock] = [new MemoryHub(), new ManualClock()]
    nodeOn(hub, clock, 'one')
    const two = nodeOn(hub, clock, 'two')
    await two.presence.known()
    expect([two.presence.count, two.several()]).toEqual([2, 1])
    hub.isUp = false
    await nodeOn(hub, clock, 'three').presence.known()
    hub.returned()
    const alone = nodeOn(new MemoryHub(), clock, 'four')
    await alone.presence.known()
    expect(alone.presence.count).toBe(1)
  })

  test('who falls silent is counted for a while, and not as long as the bus is away', async () => {
    const [hub, clock] = [new MemoryHub(), new ManualClock()]
    const one = nodeOn(hub, clock, 'one')
    const quiet = new MemoryBus(hub)
    quiet.tell('hmr.v1.nodes', { node: 'two', isHere: true })
    quiet.tell('hmr.v1.nodes', { node: 'NOT A NODE', isHere: true })
    await heard()
    expect(one.presence.count).toBe(2)
    hub.isUp = false
    clock.advance(10 * GONE_MS)
    expect(one.presence.count).toBe(2)
    hub.returned()
    clock.advance(GONE_MS - HERE_EACH_MS)
    expect(one.presence.count).toBe(2)
    clock.advance(2 * HERE_EACH_MS)
    expect(one.presence.count).toBe(1)
  })
})
