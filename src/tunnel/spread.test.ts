import { describe, expect, test } from 'vitest'
import { Spread } from './slots.ts'

function tunnel(node: string, nodes: number) {
  return {
    isOpen: true,
    relay: { nonce: '', node, nodes, origin: 'https://relay.example', homeDomain: null },
  }
}

describe('the two tunnels of a gateway', () => {
  test('a relay of one node gets one; the second is opened when there are several', () => {
    const spread = new Spread()
    expect(spread.firstOpened(tunnel('a', 1), false)).toBeNull()
    expect(spread.firstOpened(tunnel('a', 2), false)).toBe('open')
  })

  test('the second is wanted at another node alone, and gives way where the first comes to its own', () => {
    const spread = new Spread()
    spread.firstOpened(tunnel('a', 2), false)
    expect(spread.isWanted(1, { node: 'a', nodes: 2 })).toBe(false)
    expect(spread.isWanted(1, { node: 'b', nodes: 2 })).toBe(true)
    expect(spread.secondOpened(tunnel('b', 2))).toBe(true)
    expect(spread.isWanted(0, { node: 'b', nodes: 2 })).toBe(true)
    expect(spread.firstOpened(tunnel('b', 3), true)).toBe('move')
    expect(spread.secondOpened(tunnel('b', 3))).toBe(false)
    expect(spread.secondOpened(tunnel('c', 3))).toBe(true)
    expect(spread.firstOpened(tunnel('a', 3), true)).toBeNull()
  })

  test('while there is no first tunnel any node is good for the second', () => {
    const spread = new Spread()
    const first = tunnel('a', 2)
    spread.firstOpened(first, false)
    first.isOpen = false
    expect(spread.isWanted(1, { node: 'a', nodes: 1 })).toBe(true)
    expect(spread.isAlone({ nodes: 1 })).toBe(false)
  })

  test('the second ends where one node is left, and not before the first is there', () => {
    const spread = new Spread()
    expect(spread.secondOpened(tunnel('b', 2))).toBe(true)
    expect(spread.isAlone({ nodes: 1 })).toBe(false)
    expect(spread.firstOpened(tunnel('b', 1), true)).toBe('end')
    expect(spread.isAlone({ nodes: 1 })).toBe(true)
    expect(spread.isAlone({ nodes: 2 })).toBe(false)
  })
})
