import type { Authenticator, Identity } from '../auth/authenticator.ts'
import { credentialLabel } from '../auth/credential.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { ExposedHouses } from '../exposure/exposed-houses.ts'
import type { Cause } from '../home/model/cause.ts'
import type { ActivityLog } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Random, randomId } from '../lib/random.ts'
import { TokenBuckets } from '../lib/token-bucket.ts'
import { type Answer, bodyValue, type Call } from './call.ts'
import { contract, type EndpointName } from './contract/index.ts'
import { refusedCalls } from './contract/refused.ts'
import { type Endpoint, type Gate, isRuleKind, type RefusedCall, type SubjectKind, type SubjectOf } from './endpoint.ts'
import { ERRORS, errorBody, Refusal } from './errors.ts'
import {
  type Handler,
  type HandlersOf,
  isCreated,
  isLiteral,
  isPrebuilt,
  isSerialised,
  type OpenHandler,
} from './handler.ts'
import { Router, routesOf } from './router.ts'
import { isLeftOut, validated } from './validate.ts'

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

/** D1: failed authentications for each address, which never lock out a valid token. */
const FAILED_AUTH = { perSecond: 1, burst: 60, keysMax: 10_000 }
const CREDENTIALS_MAX = 10_000
const REFERENCE_LENGTH = 10

/** Which rules are there for the one who asks. */
export interface RuleSight {
  shows(kind: 'automation' | 'schedule', id: string, view: ExposedHouse): boolean
}

/** The part of a caller that must hold for the whole life of a request. */
interface Caller extends Identity {
  readonly view: ExposedHouse
  readonly cause: Cause
}

/**
 * THE pipeline: every request of every transport goes through `answer`, and the order of checks is the order of its lines (D1).
 * A refusal is thrown where it is found and answered in one place.
 */
export class Dispatcher {
  readonly #authenticator: Authenticator
  readonly #views: ExposedHouses
  readonly #handlers: HandlersOf<typeof contract>
  readonly #rules: RuleSight
  readonly #activity: ActivityLog
  readonly #random: Random
  readonly #log: Log
  readonly #router = new Router(routesOf(contract, refusedCalls))
  readonly #failedAuth: TokenBuckets
  readonly #perCredential: TokenBuckets | null

  constructor(parts: {
    authenticator: Authenticator
    views: ExposedHouses
    handlers: HandlersOf<typeof contract>
    rules: RuleSight
    activity: ActivityLog
    clock: Clock
    random: Random
    log: Log
    rateLimit: RateLimit | null
  }) {
    this.#authenticator = parts.authenticator
    this.#views = parts.views
    this.#handlers = parts.handlers
    this.#rules = parts.rules
    this.#activity = parts.activity
    this.#random = parts.random
    this.#log = parts.log
    this.#failedAuth = new TokenBuckets(parts.clock, FAILED_AUTH)
    this.#perCredential =
      parts.rateLimit && new TokenBuckets(parts.clock, { ...parts.rateLimit, keysMax: CREDENTIALS_MAX })
  }

  /** Answers a call; never throws. Synchronous where the handler is, so that a cached read costs no turn of the loop. */
  answer(call: Call): Answer | Promise<Answer> {
    try {
      const answer = this.#answer(call)
      return answer instanceof Promise ? answer.catch((error: unknown) => this.refused(error, call)) : answer
    } catch (error) {
      return this.refused(error, call)
    }
  }

  /** Who is behind a token right now, or the refusal that a request of it would get. */
  identify(token: string | null, call: Pick<Call, 'via' | 'peer'>): Caller {
    const identity = this.#authenticator.authenticate(token, call.via)
    if (!identity.ok) {
      const wait = identity.error === 'unauthorized' ? this.#failedAuth.take(call.peer) : 0
      throw wait > 0 ? new Refusal('rate_limited', { retryAfter: wait }) : new Refusal(identity.error)
    }
    const { credential, integration } = identity.value
    const view = this.#views.of(integration)
    return { ...identity.value, view, cause: causeOf(credential, integration) }
  }

  /** Counts one request of a caller. */
  admit(caller: Identity): void {
    const wait = this.#perCredential?.take(caller.credential.link) ?? 0
    if (wait > 0) throw new Refusal('rate_limited', { retryAfter: wait })
  }

  #answer(call: Call): Answer | Promise<Answer> {
    const matched = this.#router.match(call.method, call.path)
    const target = matched.found?.target
    if (target && 'name' in target && contractOf(target.name).reach === 'open') return this.#open(target.name, call)
    const caller = this.identify(call.token, call)
    this.admit(caller)
    if (!matched.found || !target) throw notServed(matched)
    if ('refused' in target) return this.#refuse(target.refused, matched.found.params, caller)
    return this.#perform(target.name, matched.found.params, caller, call)
  }

  #perform(
    name: EndpointName,
    params: Readonly<Record<string, string>>,
    caller: Caller,
    call: Call,
  ): Answer | Promise<Answer> {
    const declared = contractOf(name)
    if (declared.reach === 'home' && call.via !== 'home') throw new Refusal('not_found')
    const subject = lookUp(declared.subject, params, caller.view)
    pass(declared.gate, caller)
    this.#lookUpRule(declared.subject, params, caller.view)
    const query = validated(declared.query, call.query, 'query')
    const body: unknown = declared.body ? validated(declared.body, bodyValue(call.body), 'body') : noBody(call)
    const handler = this.#handlers[name] as unknown as Handler<Endpoint>
    const content = handler({
      subject,
      params,
      query,
      body: body as undefined,
      view: caller.view,
      identity: caller,
      cause: caller.cause,
      refuse: (code, details) => {
        throw new Refusal(code, details)
      },
    })
    if (content instanceof Promise) return content.then((each) => this.#recorded(declared, each, caller, call))
    return declared.method === 'GET'
      ? answerOf(declared, content, caller.view, call)
      : this.#recorded(declared, content, caller, call)
  }

  /** A rule's knob covers seeing it: what is hidden is not found, but only behind the knob (D1). */
  #lookUpRule(kind: SubjectKind, params: Readonly<Record<string, string>>, view: ExposedHouse): void {
    if (isRuleKind(kind) && !this.#rules.shows(kind, params['id'] ?? '', view)) throw new Refusal('not_found')
  }

  /** What was recorded is committed before the answer leaves: an acknowledged change has its activity row. */
  async #recorded(declared: Endpoint, content: unknown, caller: Caller, call: Call): Promise<Answer> {
    if (declared.method !== 'GET') await this.#activity.committed()
    return answerOf(declared, content, caller.view, call)
  }

  /** No credential is looked at, and nothing of the home is told. */
  #open(name: EndpointName, call: Call): Answer | Promise<Answer> {
    const declared = contractOf(name)
    const handler = this.#handlers[name] as unknown as OpenHandler<Endpoint>
    validated(declared.query, call.query, 'query')
    const body: unknown = declared.body ? validated(declared.body, bodyValue(call.body), 'body') : undefined
    const answer = openAnswer(
      handler({
        body: body as undefined,
        via: call.via,
        peer: call.peer,
        refuse: (code, details) => {
          throw new Refusal(code, details)
        },
      }),
    )
    return declared.method === 'GET' ? answer : this.#activity.committed().then(() => answer)
  }

  #refuse(refused: RefusedCall, params: Readonly<Record<string, string>>, caller: Caller): never {
    lookUp(refused.subject, params, caller.view)
    pass(refused.gate, caller)
    throw new Refusal(refused.code)
  }

  /** The answer to whatever was thrown on the way to one: a refusal as it says, a defect as `internal` with a reference that the log has too (D1). */
  refused(error: unknown, call: Pick<Call, 'method'>): Answer {
    if (error instanceof Refusal) return refusalAnswer(error)
    const reference = randomId(this.#random, REFERENCE_LENGTH)
    this.#log.error({ err: error, reference, method: call.method }, 'A request failed.')
    return refusalAnswer(
      new Refusal('internal', { message: `${ERRORS.internal.message} The log has it under ${reference}.` }),
    )
  }
}

/** A refusal as an answer; `retryAfter` also as the header that HTTP clients know (D1). */
export function refusalAnswer(refusal: Refusal, headers: Readonly<Record<string, string>> = {}): Answer {
  const { retryAfter } = refusal.details
  return {
    status: ERRORS[refusal.code].status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(refusal instanceof NotServed ? { allow: refusal.allow.join(', ') } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...headers,
    },
    body: JSON.stringify(errorBody(refusal.code, refusal.details)),
  }
}

class NotServed extends Refusal {
  readonly allow: readonly string[]

  constructor(allow: readonly string[]) {
    super('method_not_allowed')
    this.allow = allow
  }
}

function notServed(matched: { found: unknown; allow?: readonly string[] }): Refusal {
  return matched.allow && matched.allow.length > 0
    ? new NotServed(matched.allow)
    : new Refusal('not_found', { message: 'There is no such path. GET /v1/about tells where the documents are.' })
}

function contractOf(name: EndpointName): Endpoint {
  return contract[name]
}

function lookUp<K extends SubjectKind>(
  kind: K,
  params: Readonly<Record<string, string>>,
  view: ExposedHouse,
): SubjectOf[K] {
  const id = params['id'] ?? ''
  const found = {
    none: () => null,
    automation: () => id,
    schedule: () => id,
    thing: () => view.device(id) ?? view.scene(id),
    device: () => view.device(id),
    scene: () => view.scene(id),
    room: () => view.room(id),
    floor: () => view.floor(id),
  }[kind]()
  if (found === undefined) throw new Refusal('not_found')
  return found as SubjectOf[K]
}

function pass(gate: Gate | undefined, caller: Identity): void {
  if (!gate) return
  const allowed: readonly string[] = gate.anyOf
  if (!allowed.includes(caller.integration.knobs[gate.knob])) throw new Refusal(gate.else)
}

/** A body where none belongs is a mistake worth hearing of. */
function noBody(call: Call): undefined {
  if (!isLeftOut(bodyValue(call.body))) throw new Refusal('validation', { message: 'This request takes no body.' })
  return undefined
}

/** What is answered without a credential may hold a secret: nothing between here and the client keeps it. */
const OPEN_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const

function openAnswer(content: unknown): Answer {
  if (typeof content === 'string')
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: content }
  const [status, fields] = isLiteral(content) ? [content.status, content.literal] : [200, content]
  return { status, headers: OPEN_HEADERS, body: JSON.stringify(fields) }
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const

function answerOf(declared: Endpoint, content: unknown, view: ExposedHouse, call: Call): Answer {
  const headers = JSON_HEADERS
  if (isPrebuilt(content)) {
    const tagged = { ...headers, etag: content.etag, 'cache-control': 'private, no-cache' }
    return call.etag === content.etag
      ? { status: 304, headers: tagged, body: null }
      : { status: 200, headers: tagged, body: content.prebuilt }
  }
  if (isSerialised(content)) {
    return { status: 200, headers, body: `{"house":${JSON.stringify(view.name)},${content.serialised.slice(1)}` }
  }
  const [fields, extra] = isCreated(content) ? [content.created, { location: content.location }] : [content, {}]
  return {
    status: declared.status ?? 200,
    headers: { ...headers, ...extra },
    body: JSON.stringify({ house: view.name, ...(fields as object) }),
  }
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
