import type { Identity, RequestCredentials } from '../auth/authenticator.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { ActivityLog, DeferredWork } from '../home/ports/activity-log.ts'
import { operationProblem } from '../home/rules/problems.ts'
import { pointerOfField } from '../lib/checked.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Random, randomId } from '../lib/random.ts'
import { Admission, hidesPaths, type AdmissionParts, type ApiCaller, type RateLimit } from './admission.ts'
import { answerOf, defectAnswer, NotServed, openAnswerOf, refusalAnswer, refusalOf } from './answers.ts'
import { type Answer, type Body, bodyValue, bytesOf, type Call, type CallHead } from './call.ts'
import { contract, type EndpointName } from './contract/index.ts'
import { refusedCalls } from './contract/refused.ts'
import { type Endpoint, isWrite, type SubjectKind, type SubjectOf } from './contract/endpoint.ts'
import { failedMidway, leavesUndone, onDisk, refuse } from './errors.ts'
import { ERRORS } from '../wire/errors.ts'
import type { Handler, HandlerCall, HandlersOf, OpenHandler } from './handler.ts'
import type { Idempotency } from './idempotency.ts'
import { type TransportInfo, RequestCounts } from './request-counts.ts'
import { type RouteMatch, Router, routesOf, type RouteTarget } from './router.ts'
import { isLeftOut, validated } from './validate.ts'
import type { z } from 'zod'

const REFERENCE_LENGTH = 10

/** Every route of the service. */
export const SERVICE_ROUTES = routesOf(contract, refusedCalls)
/** Router for transports without one of their own. */
export const SERVICE_ROUTER = new Router(SERVICE_ROUTES)

/** Target of a request: an endpoint, or a call that is always refused. */
export type Served = RouteMatch<RouteTarget<EndpointName>>

interface AdmittedCall {
  readonly found: Served
  readonly name: EndpointName
  readonly head: CallHead
}

interface AdmittedCaller extends AdmittedCall {
  readonly caller: ApiCaller
  readonly subject: SubjectOf[SubjectKind]
}

/** An admitted request, ready for its body. Requests to open endpoints have no caller. */
export type Admitted = AdmittedCaller | (AdmittedCall & { readonly caller: null })

/** Query and body, validated. */
interface ValidInput {
  readonly query: HandlerCall<Endpoint>['query']
  readonly body: unknown
  readonly countMore: HandlerCall<Endpoint>['countMore']
}

export interface DispatcherParts extends AdmissionParts {
  readonly handlers: HandlersOf<typeof contract>
  readonly activity: ActivityLog
  readonly storage: DeferredWork
  readonly idempotency: Idempotency
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly rateLimit: RateLimit | null
}

/**
 * THE pipeline: every request of every transport is admitted and then performed. The order of lines is the order of
 * checks (docs/decisions/refusals.md#decided). `admit` needs no body; `perform` checks the body and calls the
 * endpoint's handler. Refusals are thrown where they are found and answered in one place.
 */
export class Dispatcher {
  /** Counts of responses since the start, for operators. */
  readonly counts = new RequestCounts()
  readonly #parts: DispatcherParts
  readonly #admission: Admission

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#admission = new Admission(parts, parts.clock, parts.rateLimit)
  }

  /**
   * Answers a complete call; never throws. A synchronous handler is answered synchronously, so that a cached read costs
   * no turn of the event loop.
   */
  answer(call: Call): Answer | Promise<Answer> {
    let target: RouteTarget<EndpointName> | undefined
    try {
      const found = SERVICE_ROUTER.find(call.method, call.path)
      target = found?.target
      return found ? this.perform(this.admit(found, call), call.body) : this.notServed(call, call.path)
    } catch (error) {
      return this.refused(error, call, target)
    }
  }

  /**
   * Makes all decisions that need no body.
   * @throws Refusal
   */
  admit(found: Served, head: CallHead): Admitted {
    const { target } = found
    if ('name' in target && contractOf(target.name).reach === 'open') {
      this.#admission.countOpen(head)
      return { found, name: target.name, head, caller: null }
    }
    const caller = this.identify(head.token, head)
    this.#admission.count(caller, 'name' in target ? weightOf(target.name) : 1)
    return this.#admitted(found, head, caller)
  }

  /**
   * Answers a call admitted in the same turn of the event loop; never throws. Work beyond the admitted weight is
   * counted with the response.
   */
  perform(admitted: Admitted, body: Body): Answer | Promise<Answer> {
    const { caller, name, head } = admitted
    const { clock } = this.#parts
    let extraRequests = 0
    const begun = clock.monotonic()
    const answer = this.#answered(admitted, body, (more) => (extraRequests += more))
    const ms = clock.monotonic() - begun
    const counted = (answered: Answer, tookMs: number): Answer => {
      this.counts.answered(name, head, answered.status, tookMs)
      if (caller !== null)
        this.#admission.charge(caller, weightOf(name), { ms, extraRequests, answerBytes: bytesOf(answered) })
      return answered
    }
    return answer instanceof Promise
      ? answer.then((answered) => counted(answered, clock.monotonic() - begun))
      : counted(answer, ms)
  }

  #answered(admitted: Admitted, body: Body, countMore: HandlerCall<Endpoint>['countMore']): Answer | Promise<Answer> {
    const { head } = admitted
    try {
      const answer = this.#perform(admitted, body, countMore)
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#refusal(error, head)) : answer
    } catch (error) {
      return this.#refusal(error, head)
    }
  }

  /** Answers a call admitted before its body arrived; never throws. */
  performLater(admitted: Admitted, body: Body): Answer | Promise<Answer> {
    try {
      return this.perform(admitted.caller ? this.#admitAgain(admitted) : admitted, body)
    } catch (error) {
      return this.refused(error, admitted.head, admitted.found.target)
    }
  }

  /**
   * Response for an unknown path or a method that the path does not take. Only callers with a credential learn which of
   * the two.
   */
  notServed(head: CallHead, path: string, refusal?: NotServed): Answer {
    try {
      const caller = this.identify(head.token, head)
      this.count(caller)
      throw refusal ?? new NotServed(offeredAt(path, head, caller))
    } catch (error) {
      return this.refused(error, head)
    }
  }

  /** Resolves a token to its caller; throws the refusal that a request with this token would get. */
  identify(token: RequestCredentials, from: Pick<CallHead, 'via' | 'audience' | 'peer'>): ApiCaller {
    return this.#admission.identify(token, from)
  }

  /** Counts a request against the caller's rate limit; `weight` is the number of requests it counts as. */
  count(caller: Identity, weight = 1): void {
    this.#admission.count(caller, weight)
  }

  /** Adds requests to a credential's count, for a message that cost work before it was understood. */
  charge(credential: { readonly link: string }, requests: number): void {
    this.#admission.chargeMore(credential, requests)
  }

  /**
   * Response for a thrown error: a refusal, or `internal` for a defect, with a reference that the log has too
   * (docs/decisions/refusals.md#codes). `target` is the request's target, if known.
   */
  refused(error: unknown, head: Pick<CallHead, 'method'> & TransportInfo, target?: RouteTarget<EndpointName>): Answer {
    const answer = this.#refusal(error, head)
    this.counts.answered(target !== undefined && 'name' in target ? target.name : '', head, answer.status, null)
    return answer
  }

  #refusal(error: unknown, head: Pick<CallHead, 'method'> & TransportInfo): Answer {
    const refusal = refusalOf(error)
    this.counts.refused(refusal?.code ?? 'internal')
    if (refusal) return refusalAnswer(refusal, head)
    const reference = randomId(this.#parts.random, REFERENCE_LENGTH)
    this.#parts.log.error({ err: error, reference, method: head.method }, 'A request failed.')
    return defectAnswer(`${ERRORS.internal.message} The log has it as ${reference}.`, reference)
  }

  /**
   * Repeats the admission of an earlier call without counting it again, because an administrator may have revoked the
   * credential or hidden the subject meanwhile.
   */
  #admitAgain({ found, head }: AdmittedCaller): AdmittedCaller {
    return this.#admitted(found, head, this.identify(head.token, head))
  }

  #admitted(found: Served, head: CallHead, caller: ApiCaller): AdmittedCaller {
    const { target, params } = found
    if ('refused' in target) return this.#admission.refuse(target.refused, params, caller)
    const subject = this.#admission.subject(contractOf(target.name), params, caller, head)
    return { found, name: target.name, head, caller, subject }
  }

  #perform(admitted: Admitted, body: Body, countMore: HandlerCall<Endpoint>['countMore']): Answer | Promise<Answer> {
    const { name, head, found } = admitted
    const declared = contractOf(name)
    const query = validated(declared.query, head.query, 'query')
    if (!admitted.caller) return this.#open(name, declared, head, body)
    const value = declared.body ? validBody(name, declared.body, bodyValue(body), admitted.caller.view) : noBody(body)
    const input = { query, body: value, countMore }
    const key = head.idempotencyKey
    if (key === undefined || !isWrite(declared)) return this.#act(admitted, input)
    const { link } = admitted.caller.credential
    const request = [name, found.params, query, value]
    return this.#parts.idempotency.perform({ link, key, request }, () => this.#act(this.#admitAgain(admitted), input), {
      refuse,
      failed: (error) => ({ answer: this.#refusal(error, head), undone: leavesUndone(error) }),
    })
  }

  #act(admitted: AdmittedCaller, { query, body, countMore }: ValidInput): Answer | Promise<Answer> {
    const { name, found, head, caller, subject } = admitted
    const declared = contractOf(name)
    const handler = this.#parts.handlers[name] as unknown as Handler<Endpoint>
    const call: HandlerCall<Endpoint> = {
      subject,
      params: found.params,
      query,
      body: body as undefined,
      view: caller.view,
      identity: caller,
      cause: caller.cause,
      naming: head.naming,
      refuse,
      countMore,
    }
    const { storage } = this.#parts
    const { commits } = storage
    const failedLater = (error: unknown): never => failedMidway(error, declared, true)
    const recorded = (content: unknown): Promise<Answer> => this.#recorded(declared, content, caller, head)
    try {
      const content = declared.configures === true ? storage.deferring(() => handler(call)) : handler(call)
      if (content instanceof Promise) return content.then(recorded).catch(failedLater)
      if (declared.method === 'GET') return answerOf(declared, content, caller.view, head)
      return recorded(content).catch(failedLater)
    } catch (error) {
      return failedMidway(error, declared, storage.commits > commits)
    }
  }

  /** Commits the activity before the response leaves, so that an acknowledged change has its activity row. */
  async #recorded(declared: Endpoint, content: unknown, caller: ApiCaller, head: CallHead): Promise<Answer> {
    if (declared.configures === true) await onDisk(this.#parts.storage)
    if (declared.method !== 'GET') await this.#parts.activity.committed()
    return answerOf(declared, content, caller.view, head)
  }

  #open(name: EndpointName, declared: Endpoint, { via, peer }: CallHead, body: Body): Answer | Promise<Answer> {
    const handler = this.#parts.handlers[name] as unknown as OpenHandler<Endpoint>
    const value: unknown = declared.body ? validated(declared.body, bodyValue(body), 'body') : undefined
    const answer = openAnswerOf(handler({ body: value as undefined, via, peer, refuse }))
    return declared.method === 'GET' ? answer : this.#parts.activity.committed().then(() => answer)
  }
}

/** Methods of a path for a caller over this transport, without calls that are always refused. */
function offeredAt(path: string, { via }: Pick<CallHead, 'via'>, { view }: Pick<ApiCaller, 'view'>): readonly string[] {
  return SERVICE_ROUTER.allowed(path, (target) => {
    if (!('name' in target)) return false
    const { reach, subject } = contractOf(target.name)
    return (via === 'home' || reach !== 'home') && !hidesPaths(subject, view)
  })
}

function contractOf(name: EndpointName): Endpoint {
  return contract[name]
}

/** Endpoints whose refusals name the wrong part as a JSON Pointer. */
const POINTED = /^(?:scenes|automations|schedules|groups)\./

/** Validates the body; for a step with a wrong operation, the refusal lists the operations of its device. */
function validBody(name: EndpointName, schema: z.ZodType, body: unknown, view: ExposedHouse): unknown {
  return validated(schema, body, 'body', (found) => {
    const problem = operationProblem(found, body, (device) => view.device(device)?.class)
    return problem.field === '' || !POINTED.test(name) ? problem : { ...problem, at: pointerOfField(problem.field) }
  })
}

const weightOf = (name: EndpointName): number => contractOf(name).weight ?? 1

/** Refuses an unexpected body, so that the client learns of its mistake. */
function noBody(body: Body): undefined {
  if (!isLeftOut(bodyValue(body))) refuse('validation', { message: 'This request takes no body.' })
  return undefined
}
