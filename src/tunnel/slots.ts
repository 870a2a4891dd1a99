import type { HelloAsk } from './control.ts'
import type { Slot } from './slot.ts'
import type { Tunnel } from './tunnel.ts'

/** How long requests under way may go on when a slot is given up. */
const STOP_MS = 1_000

/** The tunnels of a gateway: one, and a second at another node where its relay has several. */
export class Slots {
  readonly #make: (slot: number) => Slot
  #first: Slot | null = null
  #second: Slot | null = null
  #spread = new Spread()

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
    this.#spread = new Spread()
    await Promise.all(slots.flatMap((slot) => slot?.stop(STOP_MS) ?? []))
  }

  tunnels(): readonly { readonly slot: number; readonly tunnel: Tunnel }[] {
    return [this.#first, this.#second].flatMap((each, slot) => {
      const tunnel = each?.tunnel ?? null
      return tunnel === null ? [] : [{ slot, tunnel }]
    })
  }

  /** True if a tunnel of this slot to this node is of use. */
  isWanted(slot: number, relay: HelloAsk): boolean {
    if (slot > 0 && this.#spread.isAlone(relay)) this.#endSecond()
    return this.#spread.isWanted(slot, relay)
  }

  /** Takes a tunnel that the relay has welcomed; false where the other one came to the same node meanwhile. */
  opened(slot: number, tunnel: Tunnel): boolean {
    if (slot > 0) return this.#spread.secondOpened(tunnel)
    if (this.#first !== null) this.#firstOpened(tunnel)
    return true
  }

  #firstOpened(tunnel: Tunnel): void {
    switch (this.#spread.firstOpened(tunnel, this.#second !== null)) {
      case 'open':
        this.#second = this.#make(1)
        break
      case 'move':
        this.#second?.tunnel?.replace()
        break
      case 'end':
        this.#endSecond()
        break
      case null:
    }
  }

  #endSecond(): void {
    const second = this.#second
    this.#second = null
    void second?.stop(STOP_MS)
  }
}

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
