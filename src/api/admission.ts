import type { Authenticator, AuthFailure, Identity, WrongDoor, Presented } from '../auth/authenticator.ts'
import type { FailureLog } from '../auth/credentials/failed-authentications.ts'
import { type Credential, credentialLabel } from '../auth/credentials/credentials.ts'
import type { ExposedHouse, ExposedHouses } from '../exposure/exposed-house.ts'
import type { Cause } from '../home/model/events.ts'
import { AddressLimits } from '../lib/address-limits.ts'
import type { Clock } from '../lib/clock.ts'
import { TokenBuckets } from '../lib/token-bucket.ts'
import type { CallHead } from './call.ts'
import {
  type Endpoint,
  type Gate,
  isRuleKind,
  type RefusedCall,
  type RuleSubject,
  type SubjectKind,
  type SubjectOf,
} from './contract/endpoint.ts'
import { NotServed } from './answers.ts'
import { Refusal } from './errors.ts'
import { noSuchRule } from '../wire/errors.ts'
import type { Params } from './router.ts'

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

/** docs/limits.md#why: failed authentications for each address, which never lock out a valid token. */
const FAILED_AUTH = { perSecond: 1, burst: 60 }
const CREDENTIALS_MAX = 10_000
/** What of the event loop's time the requests of one credential may take on average: their rate counts it too. */
export const TIME_SHARE = 0.25
/** An answer counts as one request for each so many bytes, which have to be encrypted and sent. */
export const ANSWER_BYTES_A_REQUEST = 64 * 1024
/** Requests that need no credential, for each address. */
const OPEN_REQUESTS = { perSecond: 10, burst: 100 }

/** Which rules and runs are there for the one who asks. */
export interface RuleSight {
  shows(kind: RuleSubject, id: string, view: ExposedHouse): boolean
}

/** What a request cost, as far as it shows in the end. */
export interface Cost {
  /** Milliseconds for which it held the event loop. */
  readonly ms: number
  readonly answerBytes: number
  /** Requests that its handler counts it as, for what it did beside. */
  readonly requests: number
}

/** Who asks, and what exists for them. */
export interface Caller extends Identity {
  readonly view: ExposedHouse
  readonly cause: Cause
}

export interface AdmissionParts {
  readonly authenticator: Authenticator
  readonly views: ExposedHouses
  readonly rules: RuleSight
  readonly failures: Pick<FailureLog, 'note'>
}

/**
 * Everything about a request that is decided without its body: who asks, how often, about what, and whether they may.
 */
export class Admission {
  readonly #parts: AdmissionParts
  readonly #failedAuth: AddressLimits
  readonly #perCredential: TokenBuckets | null
  /** Milliseconds of the event loop's time that one request stands for. */
  readonly #msARequest: number
  readonly #openRequests: AddressLimits | null
  /** By credential: its next request comes of the same caller, unless something about it has changed. */
  readonly #callers = new WeakMap<Credential, Caller>()

  constructor(parts: AdmissionParts, clock: Clock, rateLimit: RateLimit | null) {
    this.#parts = parts
    this.#failedAuth = new AddressLimits(clock, FAILED_AUTH)
    this.#openRequests = rateLimit && new AddressLimits(clock, OPEN_REQUESTS)
    this.#perCredential = rateLimit && new TokenBuckets(clock, { ...rateLimit, keysMax: CREDENTIALS_MAX })
    this.#msARequest = (1_000 * TIME_SHARE) / (rateLimit?.perSecond ?? 1)
  }

  /** Who is behind a token right now, or the refusal that a request of it would get. */
  identify(token: Presented, { via, door, peer }: Pick<CallHead, 'via' | 'door' | 'peer'>): Caller {
    const identity = this.#parts.authenticator.authenticate(token, via, door)
    if (!identity.ok) {
      if (identity.error !== 'unauthorized') throw refusalFor(identity.error)
      this.#parts.failures.note(peer, via)
      // A relay says itself from where a request is: it takes nothing of what addresses at home have.
      const wait = this.#failedAuth.take(peer, via)
      throw wait > 0 ? new Refusal('rate_limited', { retryAfter: wait }) : new Refusal('unauthorized')
    }
    const { credential, integration, person } = identity.value
    const view = this.#parts.views.of(integration)
    if (person !== undefined) return { ...identity.value, view, cause: person }
    const known = this.#callers.get(credential)
    // A record that changes becomes another object, and so does its view (`ExposedHouses`).
    if (known?.integration === integration && known.view === view) return known
    const caller = { credential, integration, view, cause: causeOf(credential, integration) }
    this.#callers.set(credential, caller)
    return caller
  }

  /** Counts one request of a caller; one that is much work counts as many. */
  count(caller: Identity, weight = 1): void {
    const wait = this.#perCredential?.take(caller.credential.link, weight) ?? 0
    if (wait > 0) throw new Refusal('rate_limited', { retryAfter: wait })
  }

  /** Counts a request that was counted as `weight` as what it turned out to be, where that is more. */
  charge(caller: Identity, weight: number, { ms, answerBytes, requests }: Cost): void {
    const worth = requests + Math.floor(ms / this.#msARequest) + Math.floor(answerBytes / ANSWER_BYTES_A_REQUEST)
    this.chargeMore(caller.credential, worth - weight)
  }

  /** Counts so many requests more of a credential; none of them is refused. */
  chargeMore({ link }: { readonly link: string }, requests: number): void {
    if (requests > 0) this.#perCredential?.charge(link, requests)
  }

  /** Counts one request that needs no credential. */
  countOpen({ via, peer }: Pick<CallHead, 'via' | 'peer'>): void {
    const wait = this.#openRequests?.take(peer, via) ?? 0
    if (wait > 0) throw new Refusal('rate_limited', { retryAfter: wait })
  }

  /** The thing that the path names, for a caller who may do with it what the endpoint does. */
  subject(
    { subject, gate, reach }: Pick<Endpoint, 'subject' | 'gate' | 'reach'>,
    params: Params,
    caller: Caller,
    { via }: Pick<CallHead, 'via'>,
  ): SubjectOf[SubjectKind] {
    if (reach === 'home' && via !== 'home') throw new NotServed([])
    const found = lookUp(subject, params, caller.view)
    pass(gate, caller, params)
    this.#lookUpRule(subject, params, caller.view)
    return found
  }

  /**
   * Refuses a call that is never offered, in the same order as others: a hidden id is 404 before the call's own code.
   */
  refuse({ subject, gate, code, summary }: RefusedCall, params: Params, caller: Caller): never {
    lookUp(subject, params, caller.view)
    pass(gate, caller, params)
    throw new Refusal(code, { message: `${summary}.` })
  }

  /**
   * Rules are looked up after their knob was asked, because the knob decides about seeing rules at all
   * (docs/decisions/refusals.md).
   */
  #lookUpRule(kind: SubjectKind, params: Params, view: ExposedHouse): void {
    if (isRuleKind(kind) && !this.#parts.rules.shows(kind, params['id'] ?? '', view))
      throw new Refusal('not_found', noSuchRule(kind))
  }
}

function lookUp(kind: SubjectKind, params: Params, view: ExposedHouse): SubjectOf[SubjectKind] {
  const found = subjectOf(kind, params['id'] ?? '', view)
  if (found === undefined) throw new Refusal('not_found', { field: 'id' })
  return found
}

function subjectOf(kind: SubjectKind, id: string, view: ExposedHouse): SubjectOf[SubjectKind] | undefined {
  switch (kind) {
    case 'none':
      return null
    case 'automation':
    case 'schedule':
    case 'run':
      return id
    case 'thing':
      return view.device(id) ?? view.scene(id)
    case 'device':
    case 'scene':
    case 'room':
    case 'floor':
      return view[kind](id)
  }
}

function pass(gate: Gate | undefined, caller: Identity, params: Params): void {
  if (!gate) return
  const suffices = (values: readonly string[]): boolean => values.includes(caller.integration.knobs[gate.knob])
  if (suffices(gate.anyOf) || (gate.also && suffices(gate.also.anyOf) && gate.also.where(params))) return
  throw new Refusal(gate.else, gate.details)
}

const isWrongDoor = (failure: AuthFailure): failure is WrongDoor => failure.startsWith('for ')

/** Refuses a person whose session showed no password, passkey or link lately; programs need none. */
export function refuseStaleSession({ isStale }: Pick<Identity, 'isStale'>): void {
  if (isStale === true) throw new Refusal('sign_in_again')
}

/** The refusal that a request gets whose credential fails. */
export function refusalFor(failure: AuthFailure): Refusal {
  if (isWrongDoor(failure))
    return new Refusal('unauthorized', {
      message: `This token is for another address: /${failure.slice('for '.length)}. Tokens of hosted platforms are used there alone, through the relay.`,
    })
  if (failure !== 'token_expired') return new Refusal(failure)
  return new Refusal('unauthorized', {
    message: 'The hour of this access token is over: get the next one with the refresh token.',
  })
}

/** Spec 4 rule 4: every change is logged under the credential's name. */
function causeOf(credential: Identity['credential'], integration: Identity['integration']): Cause {
  return {
    source: credential.kind === 'key' ? 'integration' : 'agent',
    name: credentialLabel(credential, integration.name),
    integration: integration.id,
    link: credential.link,
  }
}
