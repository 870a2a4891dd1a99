import { describe, expect, test, vi } from 'vitest'
import type { PersistentTunnel } from './persistent-tunnel.ts'
import { TunnelPlacement } from './tunnel-placement.ts'

function tunnel(node: string, nodes: number) {
  return {
    isOpen: true,
    relay: { nonce: '', node, nodes, origin: 'https://relay.example', homeDomain: null },
  }
}

/** TunnelPlacement that have begun; `made` are those that were opened, and what became of the second one. */
function started() {
  const made: number[] = []
  const [replace, stop] = [vi.fn(), vi.fn(() => Promise.resolve())]
  const placement = new TunnelPlacement((slot) => {
    made.push(slot)
    return { tunnel: { replace }, stop } as unknown as PersistentTunnel
  })
  placement.start()
  return { placement, made, replace, stop }
}

describe('the two tunnels of a gateway', () => {
  test('a relay of one node gets one tunnel; the second opens when there are several', () => {
    const { placement, made } = started()
    placement.register(0, tunnel('a', 1))
    expect(made).toEqual([0])
    placement.register(0, tunnel('a', 2))
    expect(made).toEqual([0, 1])
  })

  test('the second must reach another node, and gives way if the first reaches the same one', () => {
    const { placement, made, replace, stop } = started()
    placement.register(0, tunnel('a', 2))
    expect(placement.isUseful(1, { node: 'a', nodes: 2 })).toBe(false)
    expect(placement.isUseful(1, { node: 'b', nodes: 2 })).toBe(true)
    expect(placement.register(1, tunnel('b', 2))).toBe(true)
    expect(placement.isUseful(0, { node: 'b', nodes: 2 })).toBe(true)
    placement.register(0, tunnel('b', 3))
    expect(replace).toHaveBeenCalledOnce()
    expect(placement.register(1, tunnel('b', 3))).toBe(false)
    expect(placement.register(1, tunnel('c', 3))).toBe(true)
    placement.register(0, tunnel('a', 3))
    expect([made, replace.mock.calls.length, stop.mock.calls.length]).toEqual([[0, 1], 1, 0])
  })

  test('the second may reach any node while there is no first tunnel', () => {
    const { placement, stop } = started()
    const first = tunnel('a', 2)
    placement.register(0, first)
    first.isOpen = false
    expect(placement.isUseful(1, { node: 'a', nodes: 1 })).toBe(true)
    expect(stop).not.toHaveBeenCalled()
  })

  test('the second ends once one node is left and the first tunnel is open', () => {
    const { placement, made, stop } = started()
    expect(placement.register(1, tunnel('b', 2))).toBe(true)
    expect(placement.isUseful(1, { node: 'b', nodes: 1 })).toBe(true)
    placement.register(0, tunnel('b', 2))
    expect(made).toEqual([0, 1])
    placement.register(0, tunnel('b', 1))
    expect(stop).toHaveBeenCalledOnce()
    placement.register(0, tunnel('b', 2))
    expect(placement.isUseful(1, { node: 'c', nodes: 2 })).toBe(true)
    expect(stop).toHaveBeenCalledOnce()
    expect(placement.isUseful(1, { node: 'b', nodes: 1 })).toBe(false)
    expect(stop).toHaveBeenCalledTimes(2)
  })
})
