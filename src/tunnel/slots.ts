import type { HelloAsk } from './control.ts'
import type { Slot } from './slot.ts'
import type { Tunnel } from './tunnel.ts'

/** How long requests under way may go on when a slot is given up. */
const STOP_MS = 1_000

type Placed = Pick<Tunnel, 'isOpen' | 'relay'>

/**
 * The tunnels of a gateway: one, and a second at another node where its relay has several. The first is wherever it
 * comes to, and the second gives way.
 */
export class Slots {
  readonly #make: (slot: number) => Slot
  #first: Slot | null = null
  #second: Slot | null = null
  /** The latest tunnels of both. */
  #firstTunnel: Placed | null = null
  #secondTunnel: Placed | null = null

  /** @param make a slot that dials from then on */
  constructor(make: (slot: number) => Slot) {
    this.#make = make
  }

  get first(): Slot | null {
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
    return [this.#first, this.#second].flatMap((each, slot) => {
      const tunnel = each?.tunnel ?? null
      return tunnel === null ? [] : [{ slot, tunnel }]
    })
  }

  /** True if a tunnel of this slot to this node is of use; the second ends where the relay has one node. */
  isWanted(slot: number, relay: Pick<HelloAsk, 'node' | 'nodes'>): boolean {
    if (slot > 0 && relay.nodes === 1 && this.#firstTunnel?.isOpen === true) this.#endSecond()
    return slot === 0 || this.#isAside(relay)
  }

  /** Takes a tunnel that the relay has welcomed; false where the other one came to the same node meanwhile. */
  opened(slot: number, tunnel: Placed): boolean {
    if (slot > 0) {
      if (tunnel.relay === null || !this.#isAside(tunnel.relay)) return false
      this.#secondTunnel = tunnel
    } else if (this.#first !== null) this.#firstOpened(tunnel)
    return true
  }

  /** Whether the second tunnel is of use at this node. */
  #isAside({ node, nodes }: Pick<HelloAsk, 'node' | 'nodes'>): boolean {
    return this.#firstTunnel?.isOpen !== true || (nodes > 1 && this.#firstTunnel.relay?.node !== node)
  }

  /** The second one is opened, moved to another node, or given up, unless it is well where it is. */
  #firstOpened(tunnel: Placed): void {
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
