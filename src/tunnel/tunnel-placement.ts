import type { HelloAsk } from './control.ts'
import type { PersistentTunnel } from './persistent-tunnel.ts'
import type { Tunnel } from './tunnel.ts'

/** Time that running requests get when a slot ends. */
const STOP_MS = 1_000

type PlacedTunnel = Pick<Tunnel, 'isOpen' | 'relay'>

/**
 * Places a gateway's tunnels: one, and a second at another node if the relay has several. The first may be at any node;
 * the second avoids it.
 */
export class TunnelPlacement {
  readonly #make: (slot: number) => PersistentTunnel
  #first: PersistentTunnel | null = null
  #second: PersistentTunnel | null = null
  /** Latest tunnel of each slot. */
  #firstTunnel: PlacedTunnel | null = null
  #secondTunnel: PlacedTunnel | null = null

  /** @param make creates a slot's persistent tunnel, which dials at once */
  constructor(make: (slot: number) => PersistentTunnel) {
    this.#make = make
  }

  get first(): PersistentTunnel | null {
    return this.#first
  }

  start(): void {
    this.#first = this.#make(0)
  }

  async stop(): Promise<void> {
    const slots = [this.#first, this.#second]
    this.#first = null
    this.#second = null
    this.#firstTunnel = null
    this.#secondTunnel = null
    await Promise.all(slots.flatMap((slot) => slot?.stop(STOP_MS) ?? []))
  }

  tunnels(): readonly { readonly slot: number; readonly tunnel: Tunnel }[] {
    return [this.#first, this.#second].flatMap((slotTunnel, slot) => {
      const tunnel = slotTunnel?.tunnel ?? null
      return tunnel === null ? [] : [{ slot, tunnel }]
    })
  }

  /** True if a tunnel of this slot to this node is useful. Ends the second one if the relay has only one node. */
  isWanted(slot: number, relay: Pick<HelloAsk, 'node' | 'nodes'>): boolean {
    if (slot > 0 && relay.nodes === 1 && this.#firstTunnel?.isOpen === true) this.#endSecond()
    return slot === 0 || this.#isAside(relay)
  }

  /** Registers a welcomed tunnel; false if the other one has reached the same node. */
  opened(slot: number, tunnel: PlacedTunnel): boolean {
    if (slot > 0) {
      if (tunnel.relay === null || !this.#isAside(tunnel.relay)) return false
      this.#secondTunnel = tunnel
    } else if (this.#first !== null) this.#firstOpened(tunnel)
    return true
  }

  /** True if a second tunnel at this node is useful. */
  #isAside({ node, nodes }: Pick<HelloAsk, 'node' | 'nodes'>): boolean {
    return this.#firstTunnel?.isOpen !== true || (nodes > 1 && this.#firstTunnel.relay?.node !== node)
  }

  /** Opens, moves or ends the second tunnel, unless it is already at another node. */
  #firstOpened(tunnel: PlacedTunnel): void {
    this.#firstTunnel = tunnel
    const { node, nodes = 1 } = tunnel.relay ?? {}
    if (this.#secondTunnel?.isOpen === true && this.#secondTunnel.relay?.node !== node) return
    if (nodes === 1) this.#endSecond()
    else if (this.#second === null) this.#second = this.#make(1)
    else this.#second.tunnel?.replace()
  }

  #endSecond(): void {
    const second = this.#second
    this.#second = null
    void second?.stop(STOP_MS)
  }
}
