import type { Authenticator, AuthFailure, Identity, WrongAudience, RequestCredentials } from '../auth/authenticator.ts'
import type { FailureLog } from '../auth/credentials/failed-authentications.ts'
import { type Credential, credentialLabel } from '../auth/credentials/credentials.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { ExposedHouses } from '../exposure/exposed-houses.ts'
import type { ClosedRecord } from '../exposure/record-times.ts'
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
import { noSuchRule, type RefusalDetails } from '../wire/errors.ts'
import type { Params } from './router.ts'

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

/** docs/limits.md#why: rate limit per address for failed authentications; it never locks out a valid token. */
const FAILED_AUTH = { perSecond: 1, burst: 60 }
const CREDENTIALS_MAX = 10_000
/**
 * Largest average share of the event loop's time for the requests of one credential, because their rate counts time
 * too.
 */
export const TIME_SHARE = 0.25
/** An answer counts as one request for every so many bytes, because bytes have to be encrypted and sent. */
export const ANSWER_BYTES_A_REQUEST = 64 * 1024
/** Rate limit per address for requests without a credential. */
const OPEN_REQUESTS = { perSecond: 10, burst: 100 }

/** Decides which rules, runs and messages exist for a caller. */
export interface RuleVisibility {
  shows(kind: RuleSubject, id: string, view: ExposedHouse): boolean
}

/** Measured cost of an answered request. */
export interface RequestCost {
  /** Milliseconds of the event loop's time. */
  readonly ms: number
  readonly answerBytes: number
  /** Requests that the handler adds for work beyond its own call. */
  readonly extraRequests: number
}

/** The caller of a request with its view of the home. */
export interface ApiCaller extends Identity {
  readonly view: ExposedHouse
  readonly cause: Cause
}

export interface AdmissionParts {
  readonly authenticator: Authenticator
  readonly views: ExposedHouses
  readonly rules: RuleVisibility
  readonly failures: Pick<FailureLog, 'note'>
}

/** Decisions about a request that need no body: the caller, the rate limits, the subject and the permission. */
export class Admission {
  readonly #parts: AdmissionParts
  readonly #failedAuth: AddressLimits
  readonly #perCredential: TokenBuckets | null
  /** Milliseconds of the event loop's time that count as one request. */
  readonly #msARequest: number
  readonly #openRequests: AddressLimits | null
  /** Last caller by credential; the next request reuses it while integration and view are the same. */
  readonly #callers = new WeakMap<Credential, ApiCaller>()

  constructor(parts: AdmissionParts, clock: Clock, rateLimit: RateLimit | null) {
    this.#parts = parts
    this.#failedAuth = new AddressLimits(clock, FAILED_AUTH)
    this.#openRequests = rateLimit && new AddressLimits(clock, OPEN_REQUESTS)
    this.#perCredential = rateLimit && new TokenBuckets(clock, { ...rateLimit, keysMax: CREDENTIALS_MAX })
    this.#msARequest = (1_000 * TIME_SHARE) / (rateLimit?.perSecond ?? 1)
  }

  /** Resolves a token to its caller; throws the refusal that a request with this token would get. */
  identify(token: RequestCredentials, { via, audience, peer }: Pick<CallHead, 'via' | 'audience' | 'peer'>): ApiCaller {
    const identity = this.#parts.authenticator.authenticate(token, via, audience)
    if (!identity.ok) {
      if (identity.error !== 'unauthorized') throw refusalFor(identity.error)
      this.#parts.failures.note(peer, via)
      // A relay reports its clients' addresses itself, so its failures never count against addresses at home.
      const wait = this.#failedAuth.take(peer, via)
      throw wait > 0 ? new Refusal('rate_limited', { retryAfter: wait }) : new Refusal('unauthorized')
    }
    const { credential, integration, person } = identity.value
    const view = this.#parts.views.of(integration)
    if (person !== undefined) return { ...identity.value, view, cause: person }
    const known = this.#callers.get(credential)
    // A changed record is a new object, and so is its view (`ExposedHouses`).
    if (known?.integration === integration && known.view === view) return known
    const caller = { credential, integration, view, cause: causeOf(credential, integration) }
    this.#callers.set(credential, caller)
    return caller
  }

  /** Counts a request against the caller's rate limit; `weight` is the number of requests it counts as. */
  count(caller: Identity, weight = 1): void {
    const wait = this.#perCredential?.take(caller.credential.link, weight) ?? 0
    if (wait > 0) throw new Refusal('rate_limited', { retryAfter: wait })
  }

  /** Adds the difference between the measured cost and the `weight` counted at admission, if the cost is higher. */
  charge(caller: Identity, weight: number, { ms, answerBytes, extraRequests }: RequestCost): void {
    const worth = extraRequests + Math.floor(ms / this.#msARequest) + Math.floor(answerBytes / ANSWER_BYTES_A_REQUEST)
    this.chargeMore(caller.credential, worth - weight)
  }

  /** Adds requests to a credential's count without refusing any. */
  chargeMore({ link }: { readonly link: string }, requests: number): void {
    if (requests > 0) this.#perCredential?.charge(link, requests)
  }

  /** Counts a request without a credential. */
  countOpen({ via, peer }: Pick<CallHead, 'via' | 'peer'>): void {
    const wait = this.#openRequests?.take(peer, via) ?? 0
    if (wait > 0) throw new Refusal('rate_limited', { retryAfter: wait })
  }

  /** Looks up the subject of the path and checks that the caller may use the endpoint on it. */
  subject(
    { subject, gate, reach }: Pick<Endpoint, 'subject' | 'gate' | 'reach'>,
    params: Params,
    caller: ApiCaller,
    { via }: Pick<CallHead, 'via'>,
  ): SubjectOf[SubjectKind] {
    if (reach === 'home' && via !== 'home') throw new NotServed([])
    const found = lookUp(subject, params, caller.view)
    pass(gate, caller, params)
    this.#lookUpRule(subject, params, caller.view)
    return found
  }

  /**
   * Refuses a call that is never offered. The order of refusals is the usual one: a hidden id is 404 before the call's
   * own code.
   */
  refuse({ subject, gate, code, summary }: RefusedCall, params: Params, caller: ApiCaller): never {
    lookUp(subject, params, caller.view)
    pass(gate, caller, params)
    throw new Refusal(code, { message: `${summary}.` })
  }

  /**
   * The look-up of rules follows the check of their knob, because the knob decides whether rules are visible at all
   * (docs/decisions/refusals.md).
   */
  #lookUpRule(kind: SubjectKind, params: Params, view: ExposedHouse): void {
    if (isRuleKind(kind) && !this.#parts.rules.shows(kind, params['id'] ?? '', view))
      throw new Refusal('not_found', noSuchRule(kind))
  }
}

/** True if the paths of a kind of subject are unknown to a caller, with every method. */
export function hidesPaths(kind: SubjectKind, view: ExposedHouse): boolean {
  if (kind === 'mode') return view.modes.length === 0
  if (kind === 'people') return !view.showsAnyone
  return kind === 'person' && view.reports.length === 0 && !view.showsAnyone
}

function lookUp(kind: SubjectKind, params: Params, view: ExposedHouse): SubjectOf[SubjectKind] {
  if (hidesPaths(kind, view)) throw new NotServed([])
  if (kind === 'person') return reportedPerson(params['id'] ?? '', view)
  const found = subjectOf(kind, params['id'] ?? '', view)
  if (found === undefined) throw new Refusal('not_found', { field: 'id' })
  return found
}

function subjectOf(kind: SubjectKind, id: string, view: ExposedHouse): SubjectOf[SubjectKind] | undefined {
  switch (kind) {
    case 'none':
      return null
    case 'mode':
    case 'people':
      return true
    case 'person':
      return undefined
    case 'automation':
    case 'schedule':
    case 'run':
    case 'message':
      return id
    case 'thing':
      return view.device(id) ?? view.scene(id)
    case 'device':
    case 'scene':
    case 'group':
    case 'room':
    case 'floor':
      return view[kind](id)
  }
}

const NO_PERSON = 'There is no such person here. `bin/hm presence list` shows an administrator the ids.'
const MAY_NOT_REPORT =
  'This integration may not report the presence of this person. An administrator can allow it on its page.'

/** Id of a person whose presence the caller may report. */
function reportedPerson(id: string, view: ExposedHouse): string {
  if (view.reports.includes(id)) return id
  if (view.people.some((person) => person.id === id)) throw new Refusal('not_offered', { message: MAY_NOT_REPORT })
  throw new Refusal('not_found', { field: 'id', message: NO_PERSON })
}

function pass(gate: Gate | undefined, caller: Identity, params: Params): void {
  if (!gate) return
  const suffices = (values: readonly string[]): boolean => values.includes(caller.integration.knobs[gate.knob])
  if (suffices(gate.anyOf) || (gate.also && suffices(gate.also.anyOf) && gate.also.where(params))) return
  throw new Refusal(gate.else, gate.details)
}

const isWrongDoor = (failure: AuthFailure): failure is WrongAudience =>
  typeof failure === 'string' && failure.startsWith('for ')

const CLOSED_WORDS: { readonly [C in ClosedRecord['closed']]: string } = {
  ended: 'The time of this integration has ended. An administrator can give it a later end.',
  outside_hours: 'This integration is not served outside its hours. An administrator can change them.',
  clock_doubted:
    'The clock of the gateway is doubtful, so integrations with hours or an end are not served now. An administrator can confirm the time.',
}

function closedRefusal(record: ClosedRecord): Refusal {
  const seconds = record.closed === 'outside_hours' ? record.retryAfter : null
  const message = CLOSED_WORDS[record.closed]
  return new Refusal('record_disabled', { message, ...(seconds !== null && { retryAfter: seconds }) })
}

/** Refuses a person whose session has no recent password, passkey or link; programs need none. */
export function refuseStaleSession({ isStale }: Pick<Identity, 'isStale'>, details: RefusalDetails = {}): void {
  if (isStale === true) throw new Refusal('sign_in_again', details)
}

/** Refusal for a failed authentication. */
export function refusalFor(failure: AuthFailure): Refusal {
  if (typeof failure === 'object') return closedRefusal(failure)
  if (isWrongDoor(failure))
    return new Refusal('unauthorized', {
      message: `This token is for another address: /${failure.slice('for '.length)}. Tokens of hosted platforms work only there, through the relay.`,
    })
  if (failure !== 'token_expired') return new Refusal(failure)
  return new Refusal('unauthorized', {
    message: 'This access token has expired: get the next one with the refresh token.',
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
