import type { HelloRequest } from './control-streams.ts'
import type { PersistentTunnel } from './persistent-tunnel.ts'
import type { Tunnel } from './tunnel.ts'

/** Time that running requests get when a slot ends. */
const STOP_MS = 1_000

type PlacedTunnel = Pick<Tunnel, 'isOpen' | 'relay'>

/**
 * Decides at which nodes of the relay the gateway's tunnels end: the first, in slot 0, at any node; the second, in slot
 * 1, at another node. There is no second one if the relay has one node.
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
    return [this.#first, this.#second].flatMap((persistent, slot) => {
      const tunnel = persistent?.tunnel ?? null
      return tunnel === null ? [] : [{ slot, tunnel }]
    })
  }

  /** True if a tunnel of this slot to this node is useful. Ends the second one if the relay has only one node. */
  isUseful(slot: number, relay: Pick<HelloRequest, 'node' | 'nodes'>): boolean {
    if (slot > 0 && relay.nodes === 1 && this.#firstTunnel?.isOpen === true) this.#endSecond()
    return slot === 0 || this.#isAtOtherNode(relay)
  }

  /** Registers a welcomed tunnel; false if the other one has reached the same node. */
  register(slot: number, tunnel: PlacedTunnel): boolean {
    if (slot > 0) {
      if (tunnel.relay === null || !this.#isAtOtherNode(tunnel.relay)) return false
      this.#secondTunnel = tunnel
    } else if (this.#first !== null) this.#firstOpened(tunnel)
    return true
  }

  /** True if a second tunnel to this node would not end where the first does. */
  #isAtOtherNode({ node, nodes }: Pick<HelloRequest, 'node' | 'nodes'>): boolean {
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
