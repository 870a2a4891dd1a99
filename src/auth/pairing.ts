import { createHash } from 'node:crypto'
import type { AccessChange } from '../exposure/access-change.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { Cause } from '../home/model/cause.ts'
import type { Emitter } from '../lib/emitter.ts'
import { type Random, randomId } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { AgentRequest, AgentRequestStore, Decision } from './agent-request.ts'
import type { Credentials } from './credentials.ts'
import type { Ask, Asked, AskRefusal, Polled } from './device-flow.ts'
import { type ExpiringParts, ExpiringRequests, type RequestChange } from './expiring-requests.ts'
import type { LastUsed } from './last-used.ts'
import { type Choice, closedTo, grantOf, knownOf, type PairingProblem } from './pairing-choice.ts'
import { COUNTED_MS, sourceOf } from './pairing-limits.ts'
import { PairingSources, type SourceUntil } from './pairing-sources.ts'
import { endOf, ownEndOf, PENDING_MS, type RequestStatus, shownCode, statusOf, typedCode } from './request-status.ts'
import { unusedLetters } from './spoken-codes.ts'
import { isAccepted, TokenHandout } from './token-handout.ts'

/**
 * Seconds between two polls, at first; each `slow_down` adds as much for good (Spec 8), up to the time that a request
 * lasts.
 */
export const POLL_INTERVAL = 5
const POLL_INTERVAL_MAX = PENDING_MS / 1000
/** A poll so much too early is still in time: clocks and networks are not exact. */
const POLL_GRACE_MS = 500
const CODE_BYTES = 32
const USER_CODE_LETTERS = 8
const REQUEST_ID_LENGTH = 10
/**
 * Stands in the activity for the integration of an agent that asked for none by id: like all of their entries, for
 * administrators alone.
 */
const ANY_INTEGRATION = 'any'

/** A request that waits for an answer, as administrators see it. */
export interface PendingRequest extends AgentRequest {
  /** Epoch ms. */
  readonly expiresAt: number
  /** Whether it may call for attention. */
  readonly notice: boolean
  /** Links of what the same agent has already. */
  readonly known: readonly string[]
}

/** Whoever sends requests, as `home` or `cloud` and the address; `until` in epoch ms. */
export interface Sender {
  readonly source: string
  readonly until: number
}

export interface PairingParts extends ExpiringParts {
  readonly requests: AgentRequestStore
  readonly credentials: Credentials
  readonly lastUsed: LastUsed
  readonly integrations: IntegrationReader
  readonly random: Random
  readonly changes: Emitter<AccessChange>
}

/**
 * The device flow (Spec 5 point 7): an agent asks, an administrator decides, the agent collects its token once.
 * Everything but the time of the last poll is stored when it happens, so that a restart in between changes nothing;
 * ages are of steady time.
 */
export class Pairing {
  readonly #parts: PairingParts
  readonly #expiring: ExpiringRequests<AgentRequest>
  readonly #tokens: TokenHandout
  readonly #sources: PairingSources
  /** When each request was polled last; after a restart the first poll is in time. */
  readonly #polls = new Map<string, number>()
  readonly #unsubscribe: () => void

  constructor(parts: PairingParts) {
    this.#parts = parts
    this.#sources = new PairingSources(parts)
    this.#tokens = new TokenHandout({ ...parts, change: (run) => this.#expiring.change(run) })
    this.#expiring = new ExpiringRequests(parts, {
      list: () => parts.requests.list(),
      idOf: ({ request }) => request,
      endOf: (request) => this.#tokens.endsAt(request) ?? ownEndOf(request, parts.integrations),
      expire: (request, change) => {
        if (request.state === 'collected') return this.#tokens.drop(request, change)
        const how = this.#status(request) === 'denied' ? 'denied' : 'expired'
        change.emit({ kind: 'agent_request_ended', request, how })
      },
    })
    this.#unsubscribe = parts.changes.on(() => this.recheck())
  }

  /** An agent asks. What it would get is not looked at: every integration that takes no agents answers alike. */
  ask(input: Ask): Result<Asked, AskRefusal> {
    const closed = this.#closedTo(input)
    if (closed) return fail({ kind: closed })
    const wait = this.#sources.waitOf(sourceOf(input.via, input.peer))
    if (wait > 0) return fail({ kind: 'rate_limited', retryAfter: Math.ceil(wait / 1000) })
    const code = this.#parts.random.bytes(CODE_BYTES).toString('base64url')
    const { userCode } = this.#expiring.change((change) => this.#insert(input, code, change))
    return ok({ code, userCode: shownCode(userCode), interval: POLL_INTERVAL, expiresIn: PENDING_MS / 1000 })
  }

  /** An agent asks what became of its request. A token is handed out by exactly one poll. */
  poll(code: string): Polled {
    const hash = hashOf(code)
    const request = this.#parts.requests.list().find((each) => each.codeSha256.equals(hash))
    if (!request) return { kind: 'expired' }
    const status = this.#status(request)
    if (status === 'denied') return { kind: 'denied' }
    if (status === 'accepted' && isAccepted(request)) return this.#tokens.collect(request)
    if (status === 'collected' && isAccepted(request)) return this.#tokens.collectAgain(request)
    if (status !== 'pending') return { kind: 'expired' }
    const now = this.#parts.steady.now()
    const last = this.#polls.get(request.request)
    this.#polls.set(request.request, now)
    if (last === undefined || now - last >= request.interval * 1000 - POLL_GRACE_MS) return { kind: 'pending' }
    const interval = Math.min(POLL_INTERVAL_MAX, request.interval + POLL_INTERVAL)
    if (interval !== request.interval)
      this.#parts.work.change(() => this.#parts.requests.update({ ...request, interval }, 'pending'))
    return { kind: 'slow_down' }
  }

  /** What waits for an administrator's answer, in the order in which it was asked. */
  pending(): readonly PendingRequest[] {
    const pending = this.#pending()
    const notices = this.#sources.noticed(pending)
    return pending.map((each) => ({
      ...each,
      expiresAt: this.#expiring.expiresAt(each),
      notice: notices.has(each.request),
      known: knownOf(each, each.record, this.#parts).map(({ link }) => link),
    }))
  }

  /**
   * Accepts a pending request, named by its id or its matching code. The credential is made when the agent collects it.
   */
  accept(idOrUserCode: string, choice: Choice, by: Cause): Result<AgentRequest, PairingProblem> {
    return this.#expiring.change((change) => {
      const found = this.#find(idOrUserCode)
      if (!found.ok) return found
      const grant = grantOf(found.value, choice, this.#parts)
      if (!grant.ok) return grant
      const { integration, kind, replaces } = grant.value
      const accepted = this.#decide(found.value, 'accepted', { by, grant: grant.value }, change)
      const session = kind === 'session' ? ' for one session' : ''
      const replaced = replaces === null ? '' : `, in place of ${replaces}`
      change.recordAccess(integration, `${agentOf(accepted)} accepted${session}${replaced}`, by)
      return ok(accepted)
    })
  }

  /** Denies a pending request. `block` turns its sender away for a day, with everything else that it asked. */
  deny(idOrUserCode: string, { block }: { readonly block: boolean }, by: Cause): Result<AgentRequest, PairingProblem> {
    return this.#expiring.change((change) => {
      const found = this.#find(idOrUserCode)
      if (!found.ok) return found
      const request = found.value
      const source = sourceOf(request.via, request.peer)
      const alike = block ? this.#pending().filter((each) => sourceOf(each.via, each.peer) === source) : [request]
      const denied = alike.map((each) => this.#decide(each, 'denied', { by, grant: null }, change))
      if (block) this.#sources.block(source)
      const blocked = block ? `, ${request.peer} turned away for a day` : ''
      change.recordAccess(request.record ?? ANY_INTEGRATION, `${agentOf(request)} denied${blocked}`, by)
      return ok(denied.find((each) => each.request === request.request) ?? request)
    })
  }

  /** Who is turned away, and for whom a place is kept; until when, in epoch ms. */
  senders(): { readonly blocked: readonly Sender[]; readonly reserved: Sender | null } {
    const { clock, steady } = this.#parts
    const shown = ({ source, until }: SourceUntil): Sender => ({ source, until: clock.now() + until - steady.now() })
    const { reserved } = this.#sources
    return { blocked: this.#sources.blocked().map(shown), reserved: reserved && shown(reserved) }
  }

  /** Takes requests of an address again; false where it was not turned away. */
  unblock(address: string, by: Cause): boolean {
    const alike = [sourceOf('home', address), sourceOf('cloud', address)]
    const found = this.#sources.blocked().filter(({ source }) => alike.includes(source))
    if (found.length === 0) return false
    this.#expiring.change((change) => {
      for (const { source } of found) this.#sources.unblock(source)
      change.recordAccess(ANY_INTEGRATION, `${address} turned away no more`, by)
    })
    return true
  }

  /** Keeps a place for the next request from an address at home, whatever others ask; answers until when. */
  reserve(address: string, by: Cause): Sender | null {
    this.#expiring.change((change) =>
      change.recordAccess(ANY_INTEGRATION, `place kept for one request from ${address}`, by),
    )
    this.#sources.reserve(sourceOf('home', address))
    return this.senders().reserved
  }

  /** Ends what has ended by itself: by time, or because its integration was deleted. */
  recheck(): void {
    this.#expiring.recheck()
  }

  stop(): void {
    this.#unsubscribe()
    this.#tokens.stop()
    this.#expiring.stop()
  }

  #insert(input: Ask, code: string, change: RequestChange): AgentRequest {
    const { clock, random, requests } = this.#parts
    const { name, platform, record, hosted, suggested, via, peer } = input
    const pending = this.#pending()
    const taken = requests.list().map(({ userCode }) => userCode)
    const request: AgentRequest = {
      request: randomId(random, REQUEST_ID_LENGTH),
      userCode: unusedLetters(random, USER_CODE_LETTERS, taken),
      codeSha256: hashOf(code),
      name,
      platform,
      record,
      hosted,
      suggested,
      via,
      peer,
      askedAt: clock.now(),
      steadyAskedAt: change.steadyNow(),
      interval: POLL_INTERVAL,
      state: 'pending',
      decision: null,
      handedOut: null,
    }
    this.#prune()
    requests.insert(request)
    this.#sources.took(request)
    const notice = this.#sources.noticed([...pending, request]).has(request.request)
    change.emit({ kind: 'agent_request', request, notice })
    return request
  }

  #decide(
    request: AgentRequest,
    state: 'accepted' | 'denied',
    decision: Omit<Decision, 'steadyAt'>,
    change: RequestChange,
  ): AgentRequest {
    const decided: AgentRequest = { ...request, state, decision: { steadyAt: change.steadyNow(), ...decision } }
    if (!this.#parts.requests.update(decided, 'pending'))
      throw new Error(`The agent request ${request.request} was decided meanwhile.`)
    change.emit({ kind: 'agent_request_ended', request: decided, how: state })
    return decided
  }

  /** Removes requests and blocks that no longer count towards the limits. */
  #prune(): void {
    const { requests, steady } = this.#parts
    const now = steady.now()
    for (const each of requests.list()) {
      if (endOf(each) + COUNTED_MS > now || this.#tokens.endsAt(each) !== null) continue
      requests.remove(each.request)
      this.#polls.delete(each.request)
    }
    this.#sources.prune()
  }

  #closedTo(input: Ask): 'agent_access_disabled' | 'cloud_access_disabled' | null {
    const { integrations } = this.#parts
    const wanted =
      input.record === null ? integrations.list() : [integrations.get(input.record)].flatMap((each) => each ?? [])
    const reasons = wanted.map((each) => closedTo(each, input))
    if (reasons.includes(null)) return null
    return reasons.includes('cloud_access_disabled') ? 'cloud_access_disabled' : 'agent_access_disabled'
  }

  #find(idOrUserCode: string): Result<AgentRequest, PairingProblem> {
    const [id, typed] = [idOrUserCode.trim().toLowerCase(), typedCode(idOrUserCode)]
    const found = this.#parts.requests.list().find((each) => each.request === id || each.userCode === typed)
    if (!found) return fail({ kind: 'not_found', message: `No agent asks under ${idOrUserCode}.` })
    const status = this.#status(found)
    if (status === 'pending') return ok(found)
    if (status === 'expired')
      return fail({ kind: 'expired', message: `The request of ${agentOf(found)} has expired; it must ask again.` })
    return fail({ kind: 'decided', message: `The request of ${agentOf(found)} is ${status} already.` })
  }

  #status(request: AgentRequest): RequestStatus {
    return statusOf(request, this.#parts.steady.now(), this.#parts.integrations)
  }

  #pending(): readonly AgentRequest[] {
    return this.#expiring.current().filter(({ state }) => state === 'pending')
  }
}

const agentOf = ({ name, platform }: AgentRequest): string =>
  platform === '' ? `agent ${name}` : `agent ${name} via ${platform}`
const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest()
