import type { AccessChange } from '../exposure/access-change.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import { GATEWAY_CAUSE } from '../home/model/cause.ts'
import { StorageUnavailable, type UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { AgentRequest, AgentRequestStore, Decision, Grant } from './agent-request.ts'
import type { Credential } from './credential.ts'
import type { Credentials } from './credentials.ts'
import type { LastUsed } from './last-used.ts'
import type { Polled } from './device-flow.ts'
import type { RequestChange } from './expiring-requests.ts'
import { closedTo } from './pairing-choice.ts'
import { COLLECT_MS, endOf } from './request-status.ts'
import type { SteadyTime } from './steady-time.ts'

/** A token that was sent so long ago, with no crash since, has arrived. */
export const ARRIVED_AFTER_MS = 10_000
/** A credential whose token a crash may have lost, and which nobody has used, ends so long after it was made. */
export const LOST_AFTER_MS = 60 * 60_000

interface TokenHandoutParts {
  readonly requests: Pick<AgentRequestStore, 'list' | 'update'>
  readonly credentials: Pick<Credentials, 'get' | 'mint' | 'end'>
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'of'>
  readonly steady: Pick<SteadyTime, 'now'>
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Changes requests in one transaction. */
  readonly change: <T>(run: (change: RequestChange) => T) => T
}

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

  /** The first poll after the answer makes the credential; whatever replaces, makes and marks is one transaction. */
  collect(request: Accepted, lost: Credential | null = null): Polled {
    const { credentials, integrations } = this.#parts
    const { grant } = request.decision
    const integration = integrations.get(grant.integration)
    if (!integration || closedTo(integration, request)) return { kind: 'suspended' }
    const replaced = lost ?? (grant.replaces === null ? undefined : credentials.get(grant.replaces))
    const token = this.#parts.change((change) => this.#handOut(request, replaced, change))
    if (token === null) return { kind: 'expired' }
    this.#keepInMind(request.request)
    this.#parts.changes.emit({ integration: grant.integration, deleted: false })
    return { kind: 'token', token, credentialKind: grant.kind }
  }

  /** A token that a crash may have lost ends when the agent collects another in its place. */
  collectAgain(request: Accepted): Polled {
    const lost = this.#lost(request)
    const collectable = lost !== null && this.#parts.steady.now() < this.#collectableUntil(request, lost)
    return collectable ? this.collect(request, lost) : { kind: 'expired' }
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

  #handOut(request: Accepted, replaced: Credential | undefined, change: RequestChange): string | null {
    const { credentials, requests } = this.#parts
    const { grant, by } = request.decision
    const again = request.state === 'collected'
    if (!requests.update({ ...request, state: 'collected' }, request.state)) return null
    if (replaced && replaced.revokedAt === null) credentials.end(replaced, by, change.record)
    const { name, platform } = request
    const what = { integration: grant.integration, kind: grant.kind, name, platform }
    const { token, credential } = credentials.mint(what, by, change.record)
    const collected: AgentRequest = { ...request, state: 'collected', handedOut: credential.link }
    requests.update(collected, 'collected')
    if (!again) change.emit({ kind: 'agent_request_ended', request: collected, how: 'collected' })
    return token
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
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }
}
