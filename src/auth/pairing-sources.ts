import type { AgentRequest, AgentRequestStore, SourceUntil } from './agent-request.ts'
import { BLOCK_MS, BLOCKS_MAX, noticed, sourceOf, waitOf } from './pairing-limits.ts'
import type { SteadyTime } from './steady-time.ts'

/** How long a place is kept for one agent's request for access. */
export const RESERVED_MS = 10 * 60_000

export interface SourceParts {
  readonly requests: AgentRequestStore
  readonly steady: Pick<SteadyTime, 'now'>
}

/** Whoever sends requests, as `home` or `cloud` and the address or account; `until` in epoch ms. */
export interface Sender {
  readonly source: string
  readonly until: number
}

/**
 * Where requests for access come from: which senders are turned away, how long each has to wait, and for whom an
 * administrator keeps a place. There is one such place, for one request. All of it is stored.
 */
export class PairingSources {
  readonly #parts: SourceParts

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
  took(request: AgentRequest): void {
    if (this.reserved?.source === sourceOf(request)) this.#parts.requests.takePlace(request.request)
  }

  /** Which of the pending requests call for attention: those that took a place do beside all others. */
  noticed(pending: readonly AgentRequest[]): ReadonlySet<string> {
    const all = this.#parts.requests.placed()
    const placed = pending.map(({ request }) => request).filter((request) => all.has(request))
    return new Set([...placed, ...noticed(pending.filter(({ request }) => !all.has(request)))])
  }

  /** For whom a place is kept now. */
  get reserved(): SourceUntil | null {
    const { requests, steady } = this.#parts
    const kept = requests.keptPlace()
    return kept !== null && kept.until > steady.now() ? kept : null
  }

  /** Keeps the place for this sender, in the place of any other; `now` in steady ms. */
  reserve(source: string, now: number): void {
    this.#parts.requests.keepPlace({ source, until: now + RESERVED_MS })
  }

  /** Who is turned away, the one first whose block ends first. */
  blocked(): readonly SourceUntil[] {
    const now = this.#parts.steady.now()
    return [...this.#parts.requests.blocks()]
      .map(([source, until]) => ({ source, until }))
      .filter(({ until }) => until > now)
  }

  /** Who is turned away, and for whom a place is kept, as administrators see it; `now` in epoch ms. */
  shown(now: number): { readonly blocked: readonly Sender[]; readonly reserved: Sender | null } {
    const offset = now - this.#parts.steady.now()
    const shown = ({ source, until }: SourceUntil): Sender => ({ source, until: until + offset })
    const { reserved } = this
    return { blocked: this.blocked().map(shown), reserved: reserved && shown(reserved) }
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

  /** Forgets the blocks that ended. */
  prune(): void {
    const now = this.#parts.steady.now()
    for (const [source, until] of this.#parts.requests.blocks()) if (until <= now) this.unblock(source)
  }
}
