import type { AccessChange } from '../exposure/access-change.ts'
import { type Cause, GATEWAY_CAUSE } from '../home/model/cause.ts'
import { type UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { AgentRequest, AgentRequestStore, Decision, Grant } from './agent-request.ts'
import type { Credential } from './credential.ts'
import type { Credentials, NewCredential, RecordActivity } from './credentials.ts'
import type { LastUsed } from './last-used.ts'
import type { RequestChange } from './expiring-requests.ts'
import { COLLECT_MS, endOf } from './request-status.ts'
import type { SteadyTime } from './steady-time.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'

/** A token that was sent so long ago, with no crash since, has arrived. */
export const ARRIVED_AFTER_MS = 10_000
/** A credential whose token a crash may have lost, and which nobody has used, ends so long after it was made. */
export const LOST_AFTER_MS = 60 * 60_000

interface TokenHandoutParts {
  readonly requests: Pick<AgentRequestStore, 'list' | 'update'>
  readonly credentials: Pick<Credentials, 'get' | 'end'>
  readonly lastUsed: Pick<LastUsed, 'of'>
  readonly steady: Pick<SteadyTime, 'now'>
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Changes requests in one transaction. */
  readonly change: <T>(run: (change: RequestChange) => T) => T
}

/** Makes what an accepted request grants, inside the change that hands it out; `link` is the credential's. */
export type Mint<T> = (
  what: Omit<NewCredential, 'kind'>,
  by: Cause,
  record: RecordActivity,
) => { readonly link: string; readonly handed: T }

export type Accepted = AgentRequest & { readonly decision: Decision & { readonly grant: Grant } }

export function isAccepted(request: AgentRequest): request is Accepted {
  return request.decision !== null && request.decision.grant !== null
}

/**
 * Hands tokens out to agents that were accepted, each once. One whose answer a crash may have lost can be collected
 * again while nobody has used it; else nobody would hold it (docs/agents.md#pairing).
 */
export class TokenHandout {
  readonly #parts: TokenHandoutParts
  /** Ids of requests whose tokens this run of the gateway sent, each with what cancels its timer. */
  readonly #sent = new Map<string, () => void>()

  constructor(parts: TokenHandoutParts) {
    this.#parts = parts
  }

  /** Whether an accepted request still gives something: once, and again where a crash may have lost that. */
  offers(request: Accepted): boolean {
    return request.state === 'accepted' || this.#again(request) !== null
  }

  /**
   * The first who collects gets what `mint` makes; whatever replaces, makes and marks is one transaction. A token that
   * a crash may have lost ends when another is collected in its place. Null where nothing is left to be had.
   */
  collect<T>(request: Accepted, mint: Mint<T>): T | null {
    const { credentials } = this.#parts
    const { grant } = request.decision
    const lost = request.state === 'accepted' ? null : this.#again(request)
    if (request.state !== 'accepted' && lost === null) return null
    const replaced = lost ?? (grant.replaces === null ? undefined : credentials.get(grant.replaces))
    const handed = this.#parts.change((change) => this.#handOut(request, replaced, mint, change))
    if (handed === null) return null
    this.#keepInMind(request.request)
    this.#parts.changes.emit({ integration: grant.integration, deleted: false })
    return handed
  }

  /** Ends a credential that nobody holds, as far as can be told. */
  drop(request: AgentRequest, change: RequestChange): void {
    const { credentials, changes, clock } = this.#parts
    const lost = this.#lost(request)
    if (lost === null) return
    credentials.end(lost, GATEWAY_CAUSE, change.record)
    clock.after(0, () => changes.emit({ integration: lost.integration, deleted: false }))
  }

  /** Steady ms at which such a credential ends; null where there is none. */
  endsAt(request: AgentRequest): number | null {
    const lost = this.#lost(request)
    return lost && lost.steadyCreatedAt + LOST_AFTER_MS
  }

  /** A stop in order loses no answer. */
  stop(): void {
    for (const [request, cancel] of this.#sent) {
      cancel()
      this.#arrived(request)
    }
  }

  #handOut<T>(request: Accepted, replaced: Credential | undefined, mint: Mint<T>, change: RequestChange): T | null {
    const { credentials, requests } = this.#parts
    const { grant, by } = request.decision
    const again = request.state === 'collected'
    if (!requests.update({ ...request, state: 'collected' }, request.state)) return null
    if (replaced && replaced.revokedAt === null) credentials.end(replaced, by, change.record)
    const { name, platform } = request
    const { link, handed } = mint({ integration: grant.integration, name, platform }, by, change.record)
    const collected: AgentRequest = { ...request, state: 'collected', handedOut: link }
    requests.update(collected, 'collected')
    if (!again) change.emit({ kind: 'agent_request_ended', request: collected, how: 'collected' })
    return handed
  }

  #keepInMind(request: string): void {
    this.#sent.set(
      request,
      this.#parts.clock.after(ARRIVED_AFTER_MS, () => this.#arrived(request)),
    )
  }

  /** The unused credential whose token a crash may have lost, or null. */
  #lost({ request, handedOut }: AgentRequest): Credential | null {
    const credential =
      handedOut === null || this.#sent.has(request) ? undefined : this.#parts.credentials.get(handedOut)
    if (!credential || credential.revokedAt !== null) return null
    return this.#parts.lastUsed.of(credential) === null ? credential : null
  }

  /** The same, while another can be collected in its place. */
  #again(request: Accepted): Credential | null {
    const lost = this.#lost(request)
    return lost !== null && this.#parts.steady.now() < this.#collectableUntil(request, lost) ? lost : null
  }

  /** Steady ms until which the token that a crash may have lost can be collected again. */
  #collectableUntil(request: AgentRequest, { steadyCreatedAt }: Credential): number {
    return Math.max(endOf({ ...request, state: 'accepted' }), steadyCreatedAt + COLLECT_MS)
  }

  #arrived(id: string): void {
    const { requests, work } = this.#parts
    try {
      // Read again: its integration may be gone since.
      const request = requests.list().find((each) => each.request === id)
      if (request) work.change(() => requests.update({ ...request, handedOut: null }, 'collected'))
      this.#sent.delete(id)
    } catch (error) {
      // Then it could be collected again after a restart, by the same agent alone.
      if (!isStorageFailure(error)) throw error
    }
  }
}
