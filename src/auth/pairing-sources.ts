import type { AgentRequest, AgentRequestStore } from './agent-request.ts'
import { BLOCK_MS, BLOCKS_MAX, noticed, sourceOf, waitOf } from './pairing-limits.ts'
import type { SteadyTime } from './steady-time.ts'

/** How long a place is kept for one agent's request for access. */
export const RESERVED_MS = 10 * 60_000

export interface SourceParts {
  readonly requests: AgentRequestStore
  readonly steady: Pick<SteadyTime, 'now'>
}

/** A sender of requests until a moment of steady time. */
export interface SourceUntil {
  readonly source: string
  readonly until: number
}

/**
 * Where requests for access come from: which senders are turned away, how long each has to wait, and for whom an
 * administrator keeps a place. There is one such place, for one request; it is in memory alone.
 */
export class PairingSources {
  readonly #parts: SourceParts
  #reserved: SourceUntil | null = null
  /** Ids of the requests that took a kept place: they call for attention beside all others. */
  readonly #placed = new Set<string>()

  constructor(parts: SourceParts) {
    this.#parts = parts
  }

  /** Steady ms until one more request of this sender is taken; 0 when it is at once. */
  waitOf(source: string): number {
    const { requests, steady } = this.#parts
    if (this.reserved?.source === source) return 0
    return waitOf(source, { requests: requests.list(), blocks: requests.blocks(), now: steady.now() })
  }

  /** A request was stored: it takes the place that was kept for its sender. */
  took({ request, via, peer }: AgentRequest): void {
    if (this.reserved?.source !== sourceOf(via, peer)) return
    this.#reserved = null
    this.#placed.add(request)
  }

  /** Which of the pending requests call for attention. */
  noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
    const placed = pending.map(({ request }) => request).filter((request) => this.#placed.has(request))
    return new Set([...placed, ...noticed(pending.filter(({ request }) => !this.#placed.has(request)))])
  }

  /** For whom a place is kept now. */
  get reserved(): SourceUntil | null {
    return this.#reserved !== null && this.#reserved.until > this.#parts.steady.now() ? this.#reserved : null
  }

  /** Keeps the place for this sender, in the place of any other. */
  reserve(source: string): void {
    this.#reserved = { source, until: this.#parts.steady.now() + RESERVED_MS }
  }

  /** Who is turned away, the one first whose block ends first. */
  blocked(): readonly SourceUntil[] {
    const now = this.#parts.steady.now()
    return [...this.#parts.requests.blocks()]
      .map(([source, until]) => ({ source, until }))
      .filter(({ until }) => until > now)
  }

  block(source: string): void {
    const { requests, steady } = this.#parts
    const others = [...requests.blocks().keys()].filter((each) => each !== source)
    for (const each of others.slice(0, Math.max(0, others.length + 1 - BLOCKS_MAX))) requests.unblock(each)
    requests.block(source, steady.now() + BLOCK_MS)
  }

  unblock(source: string): void {
    this.#parts.requests.unblock(source)
  }

  /** Forgets what ended: blocks, and requests that are stored no more. */
  prune(): void {
    const stored = new Set(this.#parts.requests.list().map(({ request }) => request))
    for (const each of this.#placed) if (!stored.has(each)) this.#placed.delete(each)
    const now = this.#parts.steady.now()
    for (const [source, until] of this.#parts.requests.blocks()) if (until <= now) this.unblock(source)
  }
}
