import { EventEmitter } from 'node:events'
import type { Bus } from '../bus/bus.ts'
import type { LinkChange } from '../enrolment/enrolment.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import type { Directory, LocalTunnel, LocalDirectory } from '../tunnels/directory.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import { innerIdentity } from './inner-identity.ts'
import { InnerServer } from './inner-server.ts'
import { type Holder, LinkMessage, NodeOrder, SUBJECTS, TunnelUp } from './node-messages.ts'
import { NodesDirectory } from './nodes-directory.ts'
import { Peers } from './peers.ts'
import { Presence } from './presence.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Longest wait for a newly linked home to become reachable. */
const REACHABLE_WAIT_MS = 5_000

export interface RelayNodeParts extends Pick<RelayParts, 'clock' | 'random' | 'log'> {
  readonly node: string
  readonly bus: Bus
  readonly local: LocalDirectory
  /** Address for other nodes; null in a relay of one process. */
  readonly address: { readonly host: string; readonly port: number } | null
}

/** Reactions of the local tunnels to messages of other nodes. */
export type NodeTunnels = Pick<Tunnels, 'linkChanged' | 'resolveConflict' | 'recheckLinks' | 'rebalance'>

/**
 * This node of the relay: announces its tunnels on the bus, finds those of other nodes, and handles their messages.
 */
export class RelayNode implements AsyncDisposable {
  readonly directory: Directory
  readonly #parts: RelayNodeParts
  readonly #opened: AsyncDisposableStack
  readonly #inner: InnerServer | null
  readonly #holder: Holder | null
  readonly #peers: Peers
  readonly #nodes: NodesDirectory
  readonly #presence: Presence
  /** Emits the serial of a gateway when it becomes reachable at any node. */
  readonly #reachable = new EventEmitter().setMaxListeners(0)
  /** Ends the subscription of `SUBJECTS.where`, by serial. */
  readonly #unsubscribe = new Map<string, () => void>()
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
    this.#presence = opened.use(new Presence({ ...parts, onFirstPeer: () => this.#tunnels?.rebalance() }))
  }

  /** @throws SettingsError if this node cannot listen for other nodes. */
  static async open(parts: RelayNodeParts): Promise<RelayNode> {
    await using opened = new AsyncDisposableStack()
    const { address, node, clock, random } = parts
    if (address === null) return new RelayNode(parts, opened.move(), null)
    const identity = innerIdentity(clock, random)
    const inner = opened.use(await InnerServer.open({ ...parts, address, identity }))
    const { spki, secret } = identity
    const holder = { node, host: address.host, port: inner.port, spki, secret }
    const self = new RelayNode(parts, opened.move(), [inner, holder])
    await self.#presence.discover()
    return self
  }

  /** Open streams to and from other nodes. */
  get streams(): number {
    return this.#peers.streams + (this.#inner?.streams ?? 0)
  }

  get count(): number {
    return this.#presence.count
  }

  /** Connects the tunnels to the bus. @param drain moves all gateways to other nodes. */
  serve(tunnels: NodeTunnels, drain: () => void): void {
    const { bus, local, node } = this.#parts
    this.#tunnels = tunnels
    local.onAdd((tunnel) => this.#announce(tunnel))
    local.onRemove((gateway) => this.#withdraw(gateway))
    const subscriptions = [
      bus.subscribe(SUBJECTS.anyTunnelUp, (message, subject) => this.#tunnelUp(message, subject)),
      bus.subscribe(SUBJECTS.anyTunnelDown, (_message, subject) => this.#nodes.forget(gatewayOf(subject))),
      bus.subscribe(SUBJECTS.linkChanged, (message) => this.#linkMessage(message)),
      bus.subscribe(SUBJECTS.nodeOrder(node), (message) => {
        if (NodeOrder.safeParse(message).success) drain()
        return undefined
      }),
    ]
    this.#opened.defer(() => {
      for (const unsubscribe of [...subscriptions, ...this.#unsubscribe.values()]) unsubscribe()
    })
    bus.onReconnect(() => tunnels.recheckLinks())
  }

  /**
   * Makes every node send the gateway its linked accounts. After a link, waits until the home is reachable, but no
   * longer than `REACHABLE_WAIT_MS`: the person's next request goes to it.
   */
  async linkChanged({ kind, gateway }: Pick<LinkChange, 'kind' | 'gateway'>): Promise<void> {
    const reachable = kind === 'linked' ? this.#untilReachable(gateway) : Promise.resolve()
    this.#tunnels?.linkChanged({ gateway })
    this.#parts.bus.publish(SUBJECTS.linkChanged, { gateway } satisfies LinkMessage)
    if (kind === 'linked' && (await this.#isReachable(gateway))) this.#reachable.emit(gateway)
    await reachable
  }

  /** Resolves when the gateway becomes reachable, or after `REACHABLE_WAIT_MS`. */
  #untilReachable(gateway: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = (): void => {
      cancelTimeout()
      this.#reachable.off(gateway, done)
      resolve()
    }
    const cancelTimeout = this.#parts.clock.after(REACHABLE_WAIT_MS, done)
    this.#reachable.on(gateway, done)
    return promise
  }

  /** Resolves when no stream of another node is open here. */
  async idle(): Promise<void> {
    await this.#inner?.idle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }

  async #isReachable(gateway: string): Promise<boolean> {
    try {
      return (await this.directory.find(gateway)) !== null
    } catch (error) {
      if (error instanceof RelayUnavailable) return false
      throw error
    }
  }

  #announce({ serial, slot, epoch, publicKey }: LocalTunnel): void {
    const { bus, node } = this.#parts
    const holder = this.#holder
    if (holder !== null && !this.#unsubscribe.has(serial))
      this.#unsubscribe.set(
        serial,
        bus.subscribe(SUBJECTS.where(serial), () => holder),
      )
    bus.publish(SUBJECTS.tunnelUp(serial), { node, slot, epoch, publicKey } satisfies TunnelUp)
    this.#reachable.emit(serial)
  }

  #withdraw(gateway: string): void {
    this.#unsubscribe.get(gateway)?.()
    this.#unsubscribe.delete(gateway)
    this.#parts.bus.publish(SUBJECTS.tunnelDown(gateway), {})
  }

  /** The newest tunnel of a slot wins, so a newer local one is announced again. */
  #tunnelUp(message: unknown, subject: string): undefined {
    const remote = TunnelUp.safeParse(message)
    if (!remote.success) return
    const gateway = gatewayOf(subject)
    this.#nodes.forget(gateway)
    this.#reachable.emit(gateway)
    const newer = this.#tunnels?.resolveConflict(gateway, remote.data) ?? null
    if (newer !== null) this.#announce(newer)
  }

  #linkMessage(message: unknown): undefined {
    const change = LinkMessage.safeParse(message)
    if (change.success) this.#tunnels?.linkChanged(change.data)
  }
}

const gatewayOf = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1)
