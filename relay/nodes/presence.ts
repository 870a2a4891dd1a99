import { type Clock, every } from '@hm-gateway/lib/clock.ts'
import { type Bus, BusUnavailable } from '../bus/bus.ts'
import { NodePresence, SUBJECTS } from './node-messages.ts'

/** Interval of the presence messages of a node. */
export const PRESENCE_INTERVAL_MS = 5_000
/** A node is forgotten after this silence. */
export const SILENCE_MAX_MS = 16_000
/** Further nodes are not counted. */
export const NODES_MAX = 512

export interface PresenceParts {
  readonly bus: Bus
  readonly node: string
  readonly clock: Clock
  /** Called when the first other node is found. */
  readonly onFirstPeer: () => void
}

/** Counts the nodes of the relay by their presence messages. */
export class Presence implements Disposable {
  readonly #parts: PresenceParts
  /** Time of the last message of each other node. */
  readonly #lastSeen = new Map<string, number>()
  readonly #cleanups: (() => void)[]

  constructor(parts: PresenceParts) {
    this.#parts = parts
    const { bus, clock } = parts
    this.#cleanups = [
      bus.subscribe(SUBJECTS.nodes, (message) => {
        this.#receive(message)
        return { node: parts.node, isHere: true } satisfies NodePresence
      }),
      every(clock, PRESENCE_INTERVAL_MS, () => this.#tick()),
    ]
    bus.onReconnect(() => this.#reconnected())
    this.#publish(true)
  }

  /**
   * Asks for other nodes; resolves after the first reply or without one. It comes before the first gateway, because a
   * gateway that learns of only one node closes its tunnels to others.
   */
  async discover(): Promise<void> {
    const { bus, node } = this.#parts
    try {
      this.#receive(await bus.request(SUBJECTS.nodes, { node, isHere: true } satisfies NodePresence))
    } catch (error) {
      if (!(error instanceof BusUnavailable)) throw error
    }
  }

  /** Number of nodes, including this one. */
  get count(): number {
    return this.#lastSeen.size + 1
  }

  [Symbol.dispose](): void {
    for (const cleanup of this.#cleanups) cleanup()
    this.#publish(false)
  }

  #receive(message: unknown): void {
    const presence = NodePresence.safeParse(message)
    if (!presence.success) return
    const { node, isHere } = presence.data
    if (!isHere) return void this.#lastSeen.delete(node)
    const isNew = !this.#lastSeen.has(node)
    if (isNew && this.#lastSeen.size >= NODES_MAX) return
    this.#lastSeen.set(node, this.#parts.clock.monotonic())
    // A new node learns of this one at once.
    if (isNew) this.#publish(true)
    if (isNew && this.#lastSeen.size === 1) this.#parts.onFirstPeer()
  }

  /** Silence does not count while the bus is disconnected. */
  #tick(): void {
    const { bus, clock } = this.#parts
    if (!bus.isUp) return
    this.#publish(true)
    for (const [node, at] of this.#lastSeen) if (clock.monotonic() - at > SILENCE_MAX_MS) this.#lastSeen.delete(node)
  }

  #reconnected(): void {
    for (const node of this.#lastSeen.keys()) this.#lastSeen.set(node, this.#parts.clock.monotonic())
    this.#publish(true)
  }

  #publish(isHere: boolean): void {
    this.#parts.bus.publish(SUBJECTS.nodes, { node: this.#parts.node, isHere })
  }
}
