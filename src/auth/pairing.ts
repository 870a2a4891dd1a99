import { createHash } from 'node:crypto'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { Cause } from '../home/model/cause.ts'
import type { ActivityDraft } from '../home/model/activity.ts'
import type { UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import { type Random, randomId } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { AccessEvent } from './access-event.ts'
import type { AgentRequest, AgentRequestStore, Decision, Grant } from './agent-request.ts'
import { randomLetters } from './confirmation-words.ts'
import type { Credentials } from './credentials.ts'
import type { Ask, Asked, AskRefusal, Polled } from './device-flow.ts'
import type { LastUsed } from './last-used.ts'
import { type Choice, closedTo, grantOf, knownOf, type PairingProblem } from './pairing-choice.ts'
import { BLOCK_MS, BLOCKS_MAX, COUNTED_MS, noticed, sourceOf, waitOf } from './pairing-limits.ts'
import { endOf, PENDING_MS, shownCode, type RequestStatus, standingOf, typedCode } from './request-life.ts'
import type { SteadyTime } from './steady-time.ts'

/** Seconds between two polls, at first; each `slow_down` adds as much for good (Spec 8), up to the time that a request lasts. */
export const POLL_INTERVAL = 5
const POLL_INTERVAL_MAX = PENDING_MS / 1000
/** A poll so much too early is still in time: clocks and networks are not exact. */
const POLL_GRACE_MS = 500
const CODE_BYTES = 32
const USER_CODE_LETTERS = 8
const REQUEST_ID_LENGTH = 10
/** Stands in the activity for the integration of an agent that asked for none by id: like all of their entries, for administrators alone. */
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

export interface PairingParts {
  readonly requests: AgentRequestStore
  readonly credentials: Credentials
  readonly lastUsed: LastUsed
  readonly integrations: IntegrationReader
  readonly work: UnitOfWork
  readonly steady: SteadyTime
  readonly clock: Clock
  readonly random: Random
  readonly events: Emitter<AccessEvent>
  /** Told after a credential of this integration was made or ended. */
  readonly changed: (integration: string) => void
}

type Accepted = AgentRequest & { readonly decision: Decision & { readonly grant: Grant } }
type Ended = Extract<AccessEvent, { kind: 'agent_request_ended' }>['how']

/**
 * The device flow (Spec 5 point 7): an agent asks, an administrator decides, the agent collects its token once. Everything but the
 * time of the last poll is stored when it happens, so that a restart in between changes nothing; ages are of steady time.
 */
export class Pairing {
  readonly #parts: PairingParts
  /** When each request was polled last; after a restart the first poll is in time. */
  readonly #polls = new Map<string, number>()
  /** Requests whose end is still to be told. */
  readonly #live = new Set<string>()
  #cancel = (): void => {}

  constructor(parts: PairingParts) {
    this.#parts = parts
    for (const each of parts.requests.list()) if (isLive(this.#status(each))) this.#live.add(each.request)
    this.#arm()
  }

  /** An agent asks. What it would get is not looked at: every integration that takes no agents answers alike. */
  ask(input: Ask): Result<Asked, AskRefusal> {
    const closed = this.#closedTo(input)
    if (closed) return fail({ kind: closed })
    const wait = this.#waitOf(sourceOf(input.via, input.peer))
    if (wait > 0) return fail({ kind: 'rate_limited', retryAfter: Math.ceil(wait / 1000) })
    const { clock, random, requests, steady, work } = this.#parts
    const code = random.bytes(CODE_BYTES).toString('base64url')
    const { name, platform, record, hosted, suggested, via, peer } = input
    const request: AgentRequest = {
      request: randomId(random, REQUEST_ID_LENGTH),
      userCode: this.#freeUserCode(),
      codeSha256: hashOf(code),
      name,
      platform,
      record,
      hosted,
      suggested,
      via,
      peer,
      askedAt: clock.now(),
      steadyAskedAt: steady.now(),
      interval: POLL_INTERVAL,
      state: 'pending',
      decision: null,
    }
    work.change(() => {
      this.#prune()
      requests.insert(request)
      steady.save()
    })
    this.#live.add(request.request)
    this.#arm()
    this.#parts.events.emit({
      kind: 'agent_request',
      request,
      notice: noticed(this.#inState('pending')).has(request.request),
    })
    return ok({ code, userCode: shownCode(request.userCode), interval: POLL_INTERVAL, expiresIn: PENDING_MS / 1000 })
  }

  /** An agent asks what became of its request. A token is handed out by exactly one poll. */
  poll(code: string): Polled {
    const hash = hashOf(code)
    const request = this.#parts.requests.list().find((each) => each.codeSha256.equals(hash))
    if (!request) return { kind: 'expired' }
    const now = this.#parts.steady.now()
    const status = this.#status(request)
    if (status === 'denied') return { kind: 'denied' }
    if (status === 'accepted' && isAccepted(request)) return this.#collect(request)
    if (status !== 'pending') return { kind: 'expired' }
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
    const { clock, steady } = this.#parts
    const waiting = this.#inState('pending')
    const told = noticed(waiting)
    return waiting.map((each) => ({
      ...each,
      expiresAt: clock.now() + endOf(each) - steady.now(),
      notice: told.has(each.request),
      known: knownOf(each, each.record, this.#parts).map(({ link }) => link),
    }))
  }

  /** Accepts a pending request, named by its id or its matching code. The credential is made when the agent collects it. */
  accept(idOrUserCode: string, choice: Choice, cause: Cause): Result<AgentRequest, PairingProblem> {
    const found = this.#find(idOrUserCode)
    if (!found.ok) return found
    const grant = grantOf(found.value, choice, this.#parts)
    if (!grant.ok) return grant
    const { integration, kind, replaces } = grant.value
    const accepted: Accepted = {
      ...found.value,
      state: 'accepted',
      decision: { steadyAt: this.#parts.steady.now(), by: cause, grant: grant.value },
    }
    const what = `${agentOf(accepted)} accepted${kind === 'session' ? ' for one session' : ''}${replaces === null ? '' : `, in place of ${replaces}`}`
    this.#decide([accepted], { integration, what }, cause)
    this.#arm()
    this.#tell(accepted, 'accepted')
    return ok(accepted)
  }

  /** Denies a pending request. `block` turns its sender away for a day, with everything else that it asked. */
  deny(
    idOrUserCode: string,
    { block }: { readonly block: boolean },
    cause: Cause,
  ): Result<AgentRequest, PairingProblem> {
    const found = this.#find(idOrUserCode)
    if (!found.ok) return found
    const source = sourceOf(found.value.via, found.value.peer)
    const alike = block
      ? this.#inState('pending').filter((each) => sourceOf(each.via, each.peer) === source)
      : [found.value]
    const decision: Decision = { steadyAt: this.#parts.steady.now(), by: cause, grant: null }
    const denied = alike.map((each): AgentRequest => ({ ...each, state: 'denied', decision }))
    const what = `${agentOf(found.value)} denied${block ? `, ${found.value.peer} turned away for a day` : ''}`
    this.#decide(denied, { integration: found.value.record, what }, cause, block ? source : null)
    for (const each of denied) this.#end(each, 'denied')
    return ok(denied.find((each) => each.request === found.value.request) ?? found.value)
  }

  /** Tells of what came to its end by itself: by time, or because its integration was deleted. */
  recheck(): void {
    for (const each of this.#parts.requests.list()) {
      const status = this.#status(each)
      if (this.#live.has(each.request) && (status === 'expired' || status === 'denied')) this.#end(each, status)
    }
    this.#arm()
  }

  stop(): void {
    this.#cancel()
  }

  /** The first poll after the answer makes the credential; whatever replaces, makes and marks is one transaction. */
  #collect(request: Accepted): Polled {
    const { credentials, integrations, requests, work } = this.#parts
    const { grant, by } = request.decision
    const integration = integrations.get(grant.integration)
    if (!integration || closedTo(integration, request)) return { kind: 'suspended' }
    const minted = work.change((record) => {
      if (!requests.update({ ...request, state: 'collected' }, 'accepted')) return null
      const replaced = grant.replaces === null ? undefined : credentials.get(grant.replaces)
      if (replaced && replaced.revokedAt === null) credentials.end(replaced, by, record)
      return credentials.mint(
        { integration: grant.integration, kind: grant.kind, name: request.name, platform: request.platform },
        by,
        record,
      )
    })
    if (!minted) return { kind: 'expired' }
    this.#parts.changed(grant.integration)
    this.#end({ ...request, state: 'collected' }, 'collected')
    return { kind: 'token', token: minted.token, credentialKind: grant.kind }
  }

  #decide(
    decided: readonly AgentRequest[],
    row: { integration: string | null; what: string },
    cause: Cause,
    block: string | null = null,
  ): void {
    const { clock, requests, steady, work } = this.#parts
    const { integration, what } = row
    const subject: ActivityDraft['subject'] = { kind: 'integration', id: integration ?? ANY_INTEGRATION }
    work.change((record) => {
      for (const each of decided) {
        if (!requests.update(each, 'pending'))
          throw new Error(`The agent request ${each.request} was decided meanwhile.`)
      }
      if (block !== null) this.#block(block)
      steady.save()
      record({ at: clock.now(), kind: 'access', subject, what, cause })
    })
  }

  #block(source: string): void {
    const { requests, steady } = this.#parts
    const others = [...requests.blocks().keys()].filter((each) => each !== source)
    for (const each of others.slice(0, Math.max(0, others.length + 1 - BLOCKS_MAX))) requests.unblock(each)
    requests.block(source, steady.now() + BLOCK_MS)
  }

  /** Forgets what no longer counts. */
  #prune(): void {
    const { requests, steady } = this.#parts
    const now = steady.now()
    for (const each of requests.list()) {
      if (endOf(each) + COUNTED_MS > now) continue
      requests.remove(each.request)
      this.#polls.delete(each.request)
    }
    for (const [source, until] of requests.blocks()) if (until <= now) requests.unblock(source)
  }

  #closedTo(input: Ask): 'agent_access_disabled' | 'cloud_access_disabled' | null {
    const { integrations } = this.#parts
    const wanted =
      input.record === null ? integrations.list() : [integrations.get(input.record)].flatMap((each) => each ?? [])
    const reasons = wanted.map((each) => closedTo(each, input))
    if (reasons.includes(null)) return null
    return reasons.includes('cloud_access_disabled') ? 'cloud_access_disabled' : 'agent_access_disabled'
  }

  #waitOf(source: string): number {
    const { requests, steady } = this.#parts
    return waitOf(source, {
      requests: requests.list(),
      pending: this.#inState('pending'),
      blocks: requests.blocks(),
      pendingMs: PENDING_MS,
      now: steady.now(),
    })
  }

  #freeUserCode(): string {
    const taken = new Set(this.#parts.requests.list().map(({ userCode }) => userCode))
    for (;;) {
      const code = randomLetters(this.#parts.random, USER_CODE_LETTERS)
      if (!taken.has(code)) return code
    }
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
    return standingOf(request, this.#parts.steady.now(), this.#parts.integrations)
  }

  #inState(status: RequestStatus): readonly AgentRequest[] {
    return this.#parts.requests.list().filter((each) => this.#status(each) === status)
  }

  #end(request: AgentRequest, how: Ended): void {
    this.#live.delete(request.request)
    this.#polls.delete(request.request)
    this.#tell(request, how)
  }

  #tell(request: AgentRequest, how: Ended): void {
    this.#parts.events.emit({ kind: 'agent_request_ended', request, how })
  }

  /** Wakes up when the next request comes to its end. */
  #arm(): void {
    this.#cancel()
    const ends = this.#parts.requests
      .list()
      .filter((each) => this.#live.has(each.request))
      .map(endOf)
    if (ends.length > 0)
      this.#cancel = this.#parts.clock.after(Math.min(...ends) - this.#parts.steady.now(), () => this.recheck())
  }
}

const isLive = (status: RequestStatus): boolean => status === 'pending' || status === 'accepted'
const agentOf = ({ name, platform }: AgentRequest): string =>
  platform === '' ? `agent ${name}` : `agent ${name} via ${platform}`
const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest()

function isAccepted(request: AgentRequest): request is Accepted {
  return request.decision !== null && request.decision.grant !== null
}
