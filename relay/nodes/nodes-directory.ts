import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { Directory, LocatedTunnel, LocalDirectory } from '../tunnels/directory.ts'
import { Holder, SUBJECTS } from './messages.ts'
import type { Peers } from './peers.ts'

/** How long a node is asked for a gateway without asking again who holds it. */
export const HOLDER_KEPT_MS = 30_000
/** Gateways whose holders are remembered; the longest known goes first. */
export const HOLDERS_MAX = 20_000

export interface NodesDirectoryParts {
  readonly local: LocalDirectory
  readonly bus: Bus
  readonly peers: Peers
  readonly clock: Clock
}

/** Who holds which gateway, on any node: this one first. */
export class NodesDirectory implements Directory {
  readonly #parts: NodesDirectoryParts
  readonly #holders = new Map<string, { readonly holder: Holder; readonly at: number }>()

  constructor(parts: NodesDirectoryParts) {
    this.#parts = parts
  }

  /** @throws BusUnavailable where another node may hold it and nobody can be asked. */
  find(gateway: string, except: string | null = null): LocatedTunnel | null | Promise<LocatedTunnel | null> {
    return this.#parts.local.find(gateway, except) ?? this.#elsewhere(gateway, except)
  }

  /** Something else is true of this gateway from now on. */
  forget(gateway: string): undefined {
    this.#holders.delete(gateway)
  }

  async #elsewhere(gateway: string, except: string | null): Promise<LocatedTunnel | null> {
    const first = await this.#holder(gateway, except)
    const line = first === null ? null : await this.#line(gateway, first)
    if (line !== null || first === null) return line
    const second = await this.#holder(gateway, first.node)
    return second === null || second.node === except ? null : this.#line(gateway, second)
  }

  async #holder(gateway: string, except: string | null): Promise<Holder | null> {
    const { bus, clock } = this.#parts
    const known = this.#holders.get(gateway)
    if (known !== undefined && clock.monotonic() - known.at < HOLDER_KEPT_MS && known.holder.node !== except)
      return known.holder
    const accept = except === null ? undefined : (answer: unknown) => nodeOf(answer) !== except
    const answer = Holder.safeParse(await bus.ask(SUBJECTS.where(gateway), {}, accept))
    if (!answer.success) return null
    this.#keep(gateway, answer.data)
    return answer.data
  }

  async #line(gateway: string, holder: Holder): Promise<LocatedTunnel | null> {
    const line = await this.#parts.peers.tunnelAt(gateway, holder)
    if (line === null) {
      this.forget(gateway)
      return null
    }
    return {
      node: line.node,
      open: (headers, endStream) => {
        const stream = line.open(headers, endStream)
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

  #keep(gateway: string, holder: Holder): void {
    this.#holders.delete(gateway)
    this.#holders.set(gateway, { holder, at: this.#parts.clock.monotonic() })
    const [oldest] = this.#holders.keys()
    if (this.#holders.size > HOLDERS_MAX && oldest !== undefined) this.#holders.delete(oldest)
  }
}

function nodeOf(answer: unknown): string | null {
  const holder = Holder.safeParse(answer)
  return holder.success ? holder.data.node : null
}
