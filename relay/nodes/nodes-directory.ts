import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { Directory, LocatedTunnel, LocalDirectory } from '../tunnels/directory.ts'
import { Holder, SUBJECTS } from './node-messages.ts'
import type { Peers } from './peers.ts'

/** Lifetime of a cached holder. */
export const HOLDER_CACHED_MS = 30_000
/** Cached holders; the oldest is dropped first. */
export const HOLDERS_MAX = 20_000

export interface NodesDirectoryParts {
  readonly local: LocalDirectory
  readonly bus: Bus
  readonly peers: Peers
  readonly clock: Clock
}

/** Finds the holder of a gateway, the node that has its tunnel. Prefers this node, then asks over the bus. */
export class NodesDirectory implements Directory {
  readonly #parts: NodesDirectoryParts
  readonly #holders = new Map<string, { readonly holder: Holder; readonly at: number }>()

  constructor(parts: NodesDirectoryParts) {
    this.#parts = parts
  }

  /** @throws BusUnavailable if the tunnel is not here and other nodes cannot be asked. */
  find(gateway: string, exceptNode: string | null = null): LocatedTunnel | null | Promise<LocatedTunnel | null> {
    return this.#parts.local.find(gateway, exceptNode) ?? this.#findElsewhere(gateway, exceptNode)
  }

  /** Drops the cached holder of a gateway. */
  forget(gateway: string): undefined {
    this.#holders.delete(gateway)
  }

  async #findElsewhere(gateway: string, exceptNode: string | null): Promise<LocatedTunnel | null> {
    const first = await this.#holder(gateway, exceptNode)
    const tunnel = first === null ? null : await this.#tunnelAt(gateway, first)
    if (tunnel !== null || first === null) return tunnel
    const second = await this.#holder(gateway, first.node)
    return second === null || second.node === exceptNode ? null : this.#tunnelAt(gateway, second)
  }

  async #holder(gateway: string, exceptNode: string | null): Promise<Holder | null> {
    const { bus, clock } = this.#parts
    const cached = this.#holders.get(gateway)
    if (cached !== undefined && clock.monotonic() - cached.at < HOLDER_CACHED_MS && cached.holder.node !== exceptNode)
      return cached.holder
    const accept = exceptNode === null ? undefined : (reply: unknown) => nodeOf(reply) !== exceptNode
    const reply = Holder.safeParse(await bus.request(SUBJECTS.where(gateway), {}, accept))
    if (!reply.success) return null
    this.#cache(gateway, reply.data)
    return reply.data
  }

  async #tunnelAt(gateway: string, holder: Holder): Promise<LocatedTunnel | null> {
    const tunnel = await this.#parts.peers.tunnelAt(gateway, holder)
    if (tunnel === null) {
      this.forget(gateway)
      return null
    }
    return {
      node: tunnel.node,
      open: (headers, endStream) => {
        const stream = tunnel.open(headers, endStream)
        if (stream === 'gone') this.forget(gateway)
        else if (stream !== 'busy') this.#forgetUnanswered(gateway, stream)
        return stream
      },
    }
  }

  #forgetUnanswered(gateway: string, stream: Exclude<ReturnType<LocatedTunnel['open']>, string>): void {
    let isAnswered = false
    stream.once('response', () => (isAnswered = true))
    stream.once('close', () => {
      if (!isAnswered) this.forget(gateway)
    })
  }

  #cache(gateway: string, holder: Holder): void {
    this.#holders.delete(gateway)
    this.#holders.set(gateway, { holder, at: this.#parts.clock.monotonic() })
    const [oldest] = this.#holders.keys()
    if (this.#holders.size > HOLDERS_MAX && oldest !== undefined) this.#holders.delete(oldest)
  }
}

function nodeOf(reply: unknown): string | null {
  const holder = Holder.safeParse(reply)
  return holder.success ? holder.data.node : null
}
