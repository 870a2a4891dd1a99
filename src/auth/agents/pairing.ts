import {
  type AgentRequest,
  PENDING_MS,
  type AgentRequestStore,
  type Decision,
  type Ask,
  type Asked,
  type AskRefusal,
  type Polled,
  COUNTED_MS,
  senderOf,
  sourceAt,
  sourceOf,
  PairingSources,
  type Sender,
  endOf,
  ownEndOf,
  type RequestStatus,
  shownCode,
  statusOf,
  typedCode,
  unusedLetters,
} from './agent-request.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { IntegrationReader } from '../../exposure/integration.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { type Via, type Credentials, hashSecret } from '../credentials/credentials.ts'
import { type ExpiringParts, ExpiringRequests, type RequestChange } from './expiring-requests.ts'
import type { LastUsed } from '../credentials/last-used.ts'
import {
  type Choice,
  closedTo,
  closedToAll,
  grantOf,
  knownOf,
  type PairingProblem,
  isAccepted,
  type Mint,
  TokenHandout,
} from './token-handout.ts'

/**
 * Seconds between two polls, at first; each `slow_down` adds as much for good (Spec 8), up to the time that a request
 * lasts.
 */
const POLL_INTERVAL = 5
const POLL_INTERVAL_MAX = PENDING_MS / 1000
/** A poll so much too early is still in time: clocks and networks are not exact. */
const POLL_GRACE_MS = 500

/** When each request was polled last; after a restart the first poll is in time. */
class PollPace {
  readonly #steady: Pick<SteadyTime, 'now'>
  readonly #polls = new Map<string, number>()

  constructor(steady: Pick<SteadyTime, 'now'>) {
    this.#steady = steady
  }

  /** Notes a poll; answers the interval that is to be kept from now on where it came too early, else null. */
  slowed({ request, interval }: AgentRequest): number | null {
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

interface PairingParts extends ExpiringParts {
  /** The gateway's serial, by which a relay knows whose a code is. */
  readonly gateway: string
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
  readonly #pace: PollPace
  readonly #unsubscribe: () => void

  constructor(parts: PairingParts) {
    this.#parts = parts
    this.#sources = new PairingSources(parts)
    this.#pace = new PollPace(parts.steady)
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

  /** An agent asks by the device flow, and polls with the code that it is answered. */
  ask(input: Ask): Result<Asked, AskRefusal> {
    const code = `${this.#parts.gateway}.${this.#parts.random.bytes(CODE_BYTES).toString('base64url')}`
    const entered = this.enter(input, { codeSha256: hashSecret(code), challenge: null })
    if (!entered.ok) return entered
    const { userCode, interval } = entered.value
    return ok({ code, userCode: shownCode(userCode), interval, expiresIn: PENDING_MS / 1000 })
  }

  /**
   * Stores a request, which whoever has what `proof` is made of collects. What the agent would get is not looked at:
   * every integration that takes no agents answers alike.
   */
  enter(input: Ask, proof: Pick<AgentRequest, 'codeSha256' | 'challenge'>): Result<AgentRequest, AskRefusal> {
    const closed = closedToAll(input, this.#parts.integrations)
    if (closed) return fail({ kind: closed })
    const wait = this.#sources.waitOf(sourceOf(input))
    if (wait > 0) return fail({ kind: 'rate_limited', retryAfter: Math.ceil(wait / 1000) })
    return ok(this.#expiring.change((change) => this.#insert(input, proof, change)))
  }

  /** An agent asks what became of its request. A token is handed out by exactly one poll. */
  poll(code: string): Polled {
    const hash = hashSecret(code)
    const request = this.#parts.requests.list().find((each) => each.codeSha256?.equals(hash))
    if (!request) return { kind: 'expired' }
    const status = this.#status(request)
    if (status === 'denied') return { kind: 'denied' }
    if (status === 'pending') return { kind: this.#slowed(request) ? 'slow_down' : 'pending' }
    if (status === 'expired' || !isAccepted(request) || !this.#tokens.offers(request)) return { kind: 'expired' }
    const { grant } = request.decision
    const integration = this.#parts.integrations.get(grant.integration)
    if (!integration || closedTo(integration, request)) return { kind: 'suspended' }
    const token = this.collect(request, (what, by, record) => {
      const minted = this.#parts.credentials.mint({ ...what, kind: grant.kind }, by, record)
      return { link: minted.credential.link, handed: minted.token }
    })
    return token === null ? { kind: 'expired' } : { kind: 'token', token, credentialKind: grant.kind }
  }

  /** A request by its id, with what has become of it; null where none is stored. */
  find(
    id: string,
  ): { readonly request: AgentRequest; readonly status: RequestStatus; readonly expiresAt: number } | null {
    const request = this.#parts.requests.list().find((each) => each.request === id)
    return request ? { request, status: this.#status(request), expiresAt: this.#expiring.expiresAt(request) } : null
  }

  /** Hands out what an accepted request grants, once; null where nothing is left to be had. */
  collect<T>(request: AgentRequest, mint: Mint<T>): T | null {
    const status = this.#status(request)
    if ((status !== 'accepted' && status !== 'collected') || !isAccepted(request)) return null
    return this.#tokens.collect(request, mint)
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
      const source = sourceOf(request)
      const alike = block ? this.#pending().filter((each) => sourceOf(each) === source) : [request]
      const denied = alike.map((each) => this.#decide(each, 'denied', { by, grant: null }, change))
      if (block) this.#sources.block(source)
      const blocked = block ? `, ${senderOf(request)} turned away for a day` : ''
      change.recordAccess(request.record ?? ANY_INTEGRATION, `${agentOf(request)} denied${blocked}`, by)
      return ok(denied.find((each) => each.request === request.request) ?? request)
    })
  }

  /** Who is turned away, and for whom a place is kept; until when, in epoch ms. */
  senders(): { readonly blocked: readonly Sender[]; readonly reserved: Sender | null } {
    return this.#sources.shown(this.#parts.clock.now())
  }

  /** Takes requests of an address again; false where it was not turned away. */
  unblock(address: string, by: Cause): boolean {
    const alike = [sourceAt('home', address), sourceAt('cloud', address)]
    const found = this.#sources.blocked().filter(({ source }) => alike.includes(source))
    if (found.length === 0) return false
    this.#expiring.change((change) => {
      for (const { source } of found) this.#sources.unblock(source)
      change.recordAccess(ANY_INTEGRATION, `${address} turned away no more`, by)
    })
    return true
  }

  /** Keeps a place for one request of an address at home or of an account at the relay; answers until when. */
  reserve(via: Via, sender: string, by: Cause): Sender | null {
    this.#expiring.change((change) => {
      this.#sources.reserve(sourceAt(via, sender), change.steadyNow())
      change.recordAccess(ANY_INTEGRATION, `place kept for one request from ${sender}`, by)
    })
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

  /** Notes a poll of a request that waits; whether it came too early. */
  #slowed(request: AgentRequest): boolean {
    const interval = this.#pace.slowed(request)
    if (interval !== null && interval !== request.interval)
      this.#parts.work.change(() => this.#parts.requests.update({ ...request, interval }, 'pending'))
    return interval !== null
  }

  #insert(input: Ask, proof: Pick<AgentRequest, 'codeSha256' | 'challenge'>, change: RequestChange): AgentRequest {
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
      this.#pace.forget(each.request)
    }
    this.#sources.prune()
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
