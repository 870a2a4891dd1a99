import type { HelloAsk } from './control.ts'
import type { Tunnel } from './tunnel.ts'

/** What becomes of the second tunnel: it is opened, moved to another node, or given up; null: it stays as it is. */
export type SecondTunnel = 'open' | 'move' | 'end' | null

type Placed = Pick<Tunnel, 'isOpen' | 'relay'>

/**
 * Keeps a gateway's two tunnels at different nodes of a relay that has several: the first is wherever it comes to, and
 * the second gives way.
 */
export class Spread {
  #first: Placed | null = null
  #second: Placed | null = null

  /** Whether a tunnel of this slot to this node is of use. */
  isWanted(slot: number, { node, nodes }: Pick<HelloAsk, 'node' | 'nodes'>): boolean {
    return slot === 0 || this.#first?.isOpen !== true || (nodes > 1 && this.#first.relay?.node !== node)
  }

  /** The first tunnel has been opened. @param hasSecond whether a second one is kept or tried for. */
  firstOpened(tunnel: Placed, hasSecond: boolean): SecondTunnel {
    this.#first = tunnel
    const isAside = this.#second?.isOpen === true && this.#second.relay?.node !== tunnel.relay?.node
    if (isAside) return null
    if ((tunnel.relay?.nodes ?? 1) === 1) return hasSecond ? 'end' : null
    return hasSecond ? 'move' : 'open'
  }

  /** The second one has been opened; false where the first came to the same node meanwhile. */
  secondOpened(tunnel: Placed): boolean {
    if (tunnel.relay === null || !this.isWanted(1, tunnel.relay)) return false
    this.#second = tunnel
    return true
  }

  /** Whether the relay, by what it says at the second dial, has only the node that the first tunnel is at. */
  isAlone({ nodes }: Pick<HelloAsk, 'nodes'>): boolean {
    return nodes === 1 && this.#first?.isOpen === true
  }
}
