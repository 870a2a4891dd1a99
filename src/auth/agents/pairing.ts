import {
  type AgentRequest,
  type AgentRequestInput,
  type AgentRequestRefusal,
  type AgentRequestStore,
  automaticEndOf,
  type Decision,
  type DeviceAuthorization,
  endOf,
  type PollResult,
  REQUEST_LIFE_MS,
  type RequestStatus,
  statusOf,
} from './agent-request.ts'
import { COUNTED_MS, RequestSenders, type Sender, senderOf, sourceAt, sourceOf } from './request-senders.ts'
import { shownCode, typedCode, unusedLetters } from './spoken-codes.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { IntegrationReader } from '../../exposure/integration.ts'
import type { RecordTimes } from '../../exposure/record-times.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { type Via, type Credentials, hashSecret } from '../credentials/credentials.ts'
import { type ExpiringParts, ExpiringRequests, type RequestChange } from './expiring-requests.ts'
import type { LastUsed } from '../credentials/last-used.ts'
import {
  type Choice,
  closedReason,
  closedReasonForAll,
  grantOf,
  credentialsOfAgent,
  type PairingProblem,
  hasGrant,
  type Mint,
  TokenHandout,
} from './token-handout.ts'

/**
 * First poll interval in seconds. Each `slow_down` adds the same amount permanently (Spec 8), up to the life of a
 * request.
 */
const POLL_INTERVAL = 5
const POLL_INTERVAL_MAX = REQUEST_LIFE_MS / 1000
/** Tolerance for early polls, because clocks and networks are not exact. */
const POLL_GRACE_MS = 500

/** Time of the last poll per request. After a restart the first poll always counts as on time. */
class PollPace {
  readonly #steady: Pick<SteadyTime, 'now'>
  readonly #polls = new Map<string, number>()

  constructor(steady: Pick<SteadyTime, 'now'>) {
    this.#steady = steady
  }

  /** Registers a poll. Returns the longer interval in seconds if the poll came too early, else null. */
  registerPoll({ request, interval }: AgentRequest): number | null {
    const now = this.#steady.now()
    const last = this.#polls.get(request)
    this.#polls.set(request, now)
    if (last === undefined || now - last >= interval * 1000 - POLL_GRACE_MS) return null
    return Math.min(POLL_INTERVAL_MAX, interval + POLL_INTERVAL)
  }

  forget(request: string): void {
    this.#polls.delete(request)
  }
}

const CODE_BYTES = 32
const USER_CODE_LETTERS = 8
const REQUEST_ID_LENGTH = 10
/** Integration id in the activity for a request that named none. Only administrators see these entries. */
const ANY_INTEGRATION = 'any'

/** A pending request for administrators. */
export interface PendingRequest extends AgentRequest {
  /** Epoch ms. */
  readonly expiresAt: number
  /** True if the request should notify administrators. */
  readonly notice: boolean
  /** Links of credentials that an agent of the same name and platform already has. */
  readonly known: readonly string[]
}

interface PairingParts extends ExpiringParts {
  /** Serial of the gateway; a relay routes polling codes by it. */
  readonly gateway: string
  readonly requests: AgentRequestStore
  readonly credentials: Credentials
  readonly lastUsed: LastUsed
  readonly integrations: IntegrationReader
  readonly times: Pick<RecordTimes, 'closedNow'>
  readonly random: Random
  readonly changes: Emitter<AccessChange>
}

/**
 * The device flow (Spec 5 point 7): an agent requests access, an administrator decides, and the agent collects its
 * token once. Every step except the time of the last poll is stored at once, so a restart changes nothing. Ages count
 * in steady time.
 */
export class Pairing {
  readonly #parts: PairingParts
  readonly #expiring: ExpiringRequests<AgentRequest>
  readonly #tokens: TokenHandout
  readonly #senders: RequestSenders
  readonly #pace: PollPace
  readonly #unsubscribe: () => void

  constructor(parts: PairingParts) {
    this.#parts = parts
    this.#senders = new RequestSenders(parts)
    this.#pace = new PollPace(parts.steady)
    this.#tokens = new TokenHandout({ ...parts, change: (run) => this.#expiring.change(run) })
    this.#expiring = new ExpiringRequests(parts, {
      list: () => parts.requests.list(),
      idOf: ({ request }) => request,
      endOf: (request) => this.#tokens.lostTokenEndsAt(request) ?? automaticEndOf(request, parts.integrations),
      expire: (request, change) => {
        if (request.state === 'collected') return this.#tokens.endLost(request, change)
        const how = this.#status(request) === 'denied' ? 'denied' : 'expired'
        change.emit({ kind: 'agent_request_ended', request, how })
      },
    })
    this.#unsubscribe = parts.changes.on(() => this.recheck())
  }

  /** Starts the device flow of an agent, which then polls with the returned code. */
  startDeviceFlow(input: AgentRequestInput): Result<DeviceAuthorization, AgentRequestRefusal> {
    const code = `${this.#parts.gateway}.${this.#parts.random.bytes(CODE_BYTES).toString('base64url')}`
    const added = this.addRequest(input, { codeSha256: hashSecret(code), challenge: null })
    if (!added.ok) return added
    const { userCode, interval } = added.value
    return ok({ code, userCode: shownCode(userCode), interval, expiresIn: REQUEST_LIFE_MS / 1000 })
  }

  /**
   * Stores a pending request; its token goes to the client that knows the secret behind the hash in `proof`. The refusal
   * is the same for every integration that takes no agents.
   */
  addRequest(
    input: AgentRequestInput,
    proof: Pick<AgentRequest, 'codeSha256' | 'challenge'>,
  ): Result<AgentRequest, AgentRequestRefusal> {
    const closed = closedReasonForAll(input, this.#parts)
    if (closed) return fail({ kind: closed })
    const wait = this.#senders.waitOf(sourceOf(input))
    if (wait > 0) return fail({ kind: 'rate_limited', retryAfter: Math.ceil(wait / 1000) })
    return ok(this.#expiring.change((change) => this.#insert(input, proof, change)))
  }

  /** Answers an agent's poll. Exactly one poll gets the token. */
  poll(code: string): PollResult {
    const hash = hashSecret(code)
    const request = this.#parts.requests.list().find((request) => request.codeSha256?.equals(hash))
    if (!request) return { kind: 'expired' }
    const status = this.#status(request)
    if (status === 'denied') return { kind: 'denied' }
    if (status === 'pending') return { kind: this.#isTooEarly(request) ? 'slow_down' : 'pending' }
    if (status === 'expired' || !hasGrant(request) || !this.#tokens.isCollectable(request)) return { kind: 'expired' }
    const { grant } = request.decision
    const integration = this.#parts.integrations.get(grant.integration)
    if (!integration || closedReason(integration, request, this.#parts.times)) return { kind: 'suspended' }
    const token = this.collect(request, (draft, by, record) => {
      const minted = this.#parts.credentials.mint({ ...draft, kind: grant.kind }, by, record)
      return { link: minted.credential.link, result: minted.token }
    })
    return token === null ? { kind: 'expired' } : { kind: 'token', token, credentialKind: grant.kind }
  }

  /** A stored request by id with its status and expiry in epoch ms, or null. */
  find(
    id: string,
  ): { readonly request: AgentRequest; readonly status: RequestStatus; readonly expiresAt: number } | null {
    const request = this.#parts.requests.list().find((request) => request.request === id)
    return request ? { request, status: this.#status(request), expiresAt: this.#expiring.expiresAt(request) } : null
  }

  /** Makes the credential of an accepted request, once; null if it was already collected. */
  collect<T>(request: AgentRequest, mint: Mint<T>): T | null {
    const status = this.#status(request)
    if ((status !== 'accepted' && status !== 'collected') || !hasGrant(request)) return null
    return this.#tokens.collect(request, mint)
  }

  /** Pending requests, oldest first. */
  pending(): readonly PendingRequest[] {
    const pending = this.#pending()
    const notices = this.#senders.notifying(pending)
    return pending.map((request) => ({
      ...request,
      expiresAt: this.#expiring.expiresAt(request),
      notice: notices.has(request.request),
      known: credentialsOfAgent(request, request.record, this.#parts).map(({ link }) => link),
    }))
  }

  /** Accepts a pending request by id or matching code. The credential is made when the agent collects it. */
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

  /** Denies a pending request. `block` also blocks its sender for a day and denies its other requests. */
  deny(idOrUserCode: string, { block }: { readonly block: boolean }, by: Cause): Result<AgentRequest, PairingProblem> {
    return this.#expiring.change((change) => {
      const found = this.#find(idOrUserCode)
      if (!found.ok) return found
      const request = found.value
      const source = sourceOf(request)
      const sameSource = block ? this.#pending().filter((request) => sourceOf(request) === source) : [request]
      const denied = sameSource.map((request) => this.#decide(request, 'denied', { by, grant: null }, change))
      if (block) this.#senders.block(source)
      const blocked = block ? `, requests from ${senderOf(request)} blocked for a day` : ''
      change.recordAccess(request.record ?? ANY_INTEGRATION, `${agentOf(request)} denied${blocked}`, by)
      return ok(denied.find((other) => other.request === request.request) ?? request)
    })
  }

  /** Blocked senders and the reservation; times in epoch ms. */
  senders(): { readonly blocked: readonly Sender[]; readonly reserved: Sender | null } {
    return this.#senders.senders(this.#parts.clock.now())
  }

  /** Ends the block of an address; false if it was not blocked. */
  unblock(address: string, by: Cause): boolean {
    const sameSource = [sourceAt('home', address), sourceAt('cloud', address)]
    const found = this.#senders.blocked().filter(({ source }) => sameSource.includes(source))
    if (found.length === 0) return false
    this.#expiring.change((change) => {
      for (const { source } of found) this.#senders.unblock(source)
      change.recordAccess(ANY_INTEGRATION, `requests from ${address} unblocked`, by)
    })
    return true
  }

  /** Reserves a place for one request from a home address or a relay account. */
  reserve(via: Via, sender: string, by: Cause): Sender | null {
    this.#expiring.change((change) => {
      this.#senders.reserve(sourceAt(via, sender), change.steadyNow())
      change.recordAccess(ANY_INTEGRATION, `place reserved for one request from ${sender}`, by)
    })
    return this.senders().reserved
  }

  /** Ends requests that expired or whose integration was deleted. */
  recheck(): void {
    this.#expiring.recheck()
  }

  stop(): void {
    this.#unsubscribe()
    this.#tokens.stop()
    this.#expiring.stop()
  }

  /** Registers a poll of a pending request; true if it came too early. */
  #isTooEarly(request: AgentRequest): boolean {
    const interval = this.#pace.registerPoll(request)
    if (interval !== null && interval !== request.interval)
      this.#parts.work.change(() => this.#parts.requests.update({ ...request, interval }, 'pending'))
    return interval !== null
  }

  #insert(
    input: AgentRequestInput,
    proof: Pick<AgentRequest, 'codeSha256' | 'challenge'>,
    change: RequestChange,
  ): AgentRequest {
    const { clock, random, requests } = this.#parts
    const pending = this.#pending()
    const taken = requests.list().map(({ userCode }) => userCode)
    const request: AgentRequest = {
      ...input,
      ...proof,
      request: randomId(random, REQUEST_ID_LENGTH),
      userCode: unusedLetters(random, USER_CODE_LETTERS, taken),
      askedAt: clock.now(),
      steadyAskedAt: change.steadyNow(),
      interval: POLL_INTERVAL,
      state: 'pending',
      decision: null,
      handedOut: null,
    }
    this.#prune()
    requests.insert(request)
    this.#senders.useReservation(request)
    const notice = this.#senders.notifying([...pending, request]).has(request.request)
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
    for (const request of requests.list()) {
      if (endOf(request) + COUNTED_MS > now || this.#tokens.lostTokenEndsAt(request) !== null) continue
      requests.remove(request.request)
      this.#pace.forget(request.request)
    }
    this.#senders.prune()
  }

  #find(idOrUserCode: string): Result<AgentRequest, PairingProblem> {
    const [id, typed] = [idOrUserCode.trim().toLowerCase(), typedCode(idOrUserCode)]
    const found = this.#parts.requests.list().find((request) => request.request === id || request.userCode === typed)
    if (!found) return fail({ kind: 'not_found', message: `There is no agent request ${idOrUserCode}.` })
    const status = this.#status(found)
    if (status === 'pending') return ok(found)
    if (status === 'expired')
      return fail({ kind: 'expired', message: `The request of ${agentOf(found)} has expired; it must ask again.` })
    return fail({ kind: 'decided', message: `The request of ${agentOf(found)} is already ${status}.` })
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
