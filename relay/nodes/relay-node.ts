import { EventEmitter } from 'node:events'
import type { Bus } from '../bus/bus.ts'
import type { LinkChange } from '../enrolment/enrolment.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import type { Directory, LocalTunnel, LocalDirectory } from '../tunnels/directory.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import { innerIdentity } from './inner-identity.ts'
import { InnerServer } from './inner-server.ts'
import { type Holder, LinkTold, Order, SUBJECTS, Up } from './messages.ts'
import { NodesDirectory } from './nodes-directory.ts'
import { Peers } from './peers.ts'
import { Presence } from './presence.ts'
import type { RelayParts } from '../store/parts.ts'

/** How long whoever has linked a home waits for it to be reached. */
const ARRIVES_WITHIN_MS = 5_000

export interface RelayNodeParts extends Pick<RelayParts, 'clock' | 'random' | 'log'> {
  readonly node: string
  readonly bus: Bus
  readonly local: LocalDirectory
  /** Where other nodes reach this one, or null where there can be no others. */
  readonly address: { readonly host: string; readonly port: number } | null
}

/** What a node does about its tunnels when others tell it something. */
export type NodeTunnels = Pick<Tunnels, 'linkChanged' | 'resolveConflict' | 'recheckLinks' | 'rebalance'>

/** This node among the others: says which gateways it holds, finds those of others, and hears what all must know. */
export class RelayNode implements AsyncDisposable {
  readonly directory: Directory
  readonly #parts: RelayNodeParts
  readonly #opened: AsyncDisposableStack
  readonly #inner: InnerServer | null
  readonly #holder: Holder | null
  readonly #peers: Peers
  readonly #nodes: NodesDirectory
  readonly #presence: Presence
  /** Gateways that are reached now, at whichever node. */
  readonly #arrivals = new EventEmitter().setMaxListeners(0)
  readonly #held = new Map<string, () => void>()
  #tunnels: NodeTunnels | null = null

  private constructor(parts: RelayNodeParts, opened: AsyncDisposableStack, inner: [InnerServer, Holder] | null) {
    const { local, bus, clock, log } = parts
    this.#parts = parts
    this.#opened = opened
    ;[this.#inner, this.#holder] = inner ?? [null, null]
    const peers = opened.use(new Peers(clock, log))
    this.#peers = peers
    this.#nodes = new NodesDirectory({ local, bus, peers, clock })
    this.directory = inner === null ? local : this.#nodes
    this.#presence = opened.use(new Presence({ ...parts, severalNow: () => this.#tunnels?.rebalance() }))
  }

  /** @throws SettingsError where other nodes cannot reach this one. */
  static async open(parts: RelayNodeParts): Promise<RelayNode> {
    await using opened = new AsyncDisposableStack()
    const { address, node, clock, random } = parts
    if (address === null) return new RelayNode(parts, opened.move(), null)
    const identity = innerIdentity(clock, random)
    const inner = opened.use(await InnerServer.open({ ...parts, address, identity }))
    const { spki, secret } = identity
    const holder = { node, host: address.host, port: inner.port, spki, secret }
    const made = new RelayNode(parts, opened.move(), [inner, holder])
    await made.#presence.known()
    return made
  }

  /** Streams to and from other nodes that are under way. */
  get streams(): number {
    return this.#peers.streams + (this.#inner?.streams ?? 0)
  }

  get count(): number {
    return this.#presence.count
  }

  /** Begins to speak for these tunnels. @param drain sends all gateways away, as at the node's end. */
  serve(tunnels: NodeTunnels, drain: () => void): void {
    const { bus, local, node } = this.#parts
    this.#tunnels = tunnels
    local.onAdd((line) => this.#added(line))
    local.onRemove((gateway) => this.#removed(gateway))
    const ends = [
      bus.listen(SUBJECTS.everyUp, { heard: (message, subject) => this.#up(message, subject) }),
      bus.listen(SUBJECTS.everyDown, { heard: (_message, subject) => this.#nodes.forget(gatewayOf(subject)) }),
      bus.listen(SUBJECTS.tellAll, { heard: (message) => this.#linkTold(message) }),
      bus.listen(SUBJECTS.tellNode(node), {
        heard: (message) => {
          if (Order.safeParse(message).success) drain()
          return undefined
        },
      }),
    ]
    this.#opened.defer(() => {
      for (const end of [...ends, ...this.#held.values()]) end()
    })
    bus.onReturn(() => tunnels.recheckLinks())
  }

  /**
   * Whose a gateway is has changed: every node that holds it looks. Resolves where it was linked once it is reached, or
   * is not for a while: whoever linked it asks for it next.
   */
  async linkChanged({ kind, gateway }: Pick<LinkChange, 'kind' | 'gateway'>): Promise<void> {
    const arrival = kind === 'linked' ? this.#arrival(gateway) : Promise.resolve()
    this.#tunnels?.linkChanged({ gateway })
    this.#parts.bus.tell(SUBJECTS.tellAll, { gateway } satisfies LinkTold)
    if (kind === 'linked' && (await this.#isReached(gateway))) this.#arrivals.emit(gateway)
    await arrival
  }

  /** Resolves with the next arrival of this gateway, or after `ARRIVES_WITHIN_MS`. */
  #arrival(gateway: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const over = (): void => {
      cancel()
      this.#arrivals.off(gateway, over)
      resolve()
    }
    const cancel = this.#parts.clock.after(ARRIVES_WITHIN_MS, over)
    this.#arrivals.on(gateway, over)
    return promise
  }

  /** Resolves when no stream of another node is under way here. */
  async idle(): Promise<void> {
    await this.#inner?.idle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }

  async #isReached(gateway: string): Promise<boolean> {
    try {
      return (await this.directory.find(gateway)) !== null
    } catch (error) {
      if (error instanceof RelayUnavailable) return false
      throw error
    }
  }

  #added({ serial, slot, epoch, publicKey }: LocalTunnel): void {
    const { bus, node } = this.#parts
    const holder = this.#holder
    if (holder !== null && !this.#held.has(serial))
      this.#held.set(serial, bus.listen(SUBJECTS.where(serial), { heard: () => holder }))
    bus.tell(SUBJECTS.up(serial), { node, slot, epoch, publicKey } satisfies Up)
    this.#arrivals.emit(serial)
  }

  #removed(gateway: string): void {
    this.#held.get(gateway)?.()
    this.#held.delete(gateway)
    this.#parts.bus.tell(SUBJECTS.down(gateway), {})
  }

  /** Of two tunnels in one slot of a gateway the younger one holds, whatever nodes they are at. */
  #up(message: unknown, subject: string): undefined {
    const up = Up.safeParse(message)
    if (!up.success) return
    const gateway = gatewayOf(subject)
    this.#nodes.forget(gateway)
    this.#arrivals.emit(gateway)
    const younger = this.#tunnels?.resolveConflict(gateway, up.data) ?? null
    if (younger !== null) this.#added(younger)
  }

  #linkTold(message: unknown): undefined {
    const told = LinkTold.safeParse(message)
    if (told.success) this.#tunnels?.linkChanged(told.data)
  }
}

const gatewayOf = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1)
