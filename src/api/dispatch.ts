import type { Identity, Presented } from '../auth/authenticator.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { ActivityLog, DeferredWork } from '../home/ports/activity-log.ts'
import { operationProblem } from '../home/rules/problems.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Random, randomId } from '../lib/random.ts'
import { Admission, type AdmissionParts, type Caller, type RateLimit } from './admission.ts'
import { answerOf, defectAnswer, NotServed, openAnswerOf, refusalAnswer, refusalOf } from './answers.ts'
import { type Answer, type Body, bodyValue, bytesOf, type Call, type CallHead } from './call.ts'
import { contract, type EndpointName } from './contract/index.ts'
import { refusedCalls } from './contract/refused.ts'
import { type Endpoint, isWrite, type SubjectKind, type SubjectOf } from './contract/endpoint.ts'
import { failedMidway, leavesUndone, onDisk, refuse } from './errors.ts'
import { ERRORS } from '../wire/errors.ts'
import type { Handler, HandlerCall, HandlersOf, OpenHandler } from './handler.ts'
import type { Idempotency } from './idempotency.ts'
import { type Came, RequestCounts } from './request-counts.ts'
import { type Found, Router, routesOf, type Target } from './router.ts'
import { isLeftOut, validated } from './validate.ts'
import type { z } from 'zod'

const REFERENCE_LENGTH = 10

/** Every route of the service. */
export const SERVICE_ROUTES = routesOf(contract, refusedCalls)
/** The same, for transports without a router of their own. */
export const SERVICE_ROUTER = new Router(SERVICE_ROUTES)

/** The endpoint, or the call that is always refused, which a request is for. */
export type Served = Found<Target<EndpointName>>

interface AdmittedCall {
  readonly found: Served
  readonly name: EndpointName
  readonly head: CallHead
}

interface AdmittedCaller extends AdmittedCall {
  readonly caller: Caller
  readonly subject: SubjectOf[SubjectKind]
}

/** A request that may go on to its body. Open endpoints: no credential is looked at. */
export type Admitted = AdmittedCaller | (AdmittedCall & { readonly caller: null })

/** Query and body, validated. */
interface Asked {
  readonly query: HandlerCall<Endpoint>['query']
  readonly body: unknown
  readonly spend: HandlerCall<Endpoint>['spend']
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
 * THE pipeline: every request of every transport is admitted and then performed, and the order of checks is the order
 * of the lines (docs/decisions/refusals.md#decided). `admit` needs no body; `perform` judges the body and hands over to
 * the endpoint's handler. A refusal is thrown where it is found and answered in one place.
 */
export class Dispatcher {
  /** What was answered since the start, for whoever runs the gateway. */
  readonly counts = new RequestCounts()
  readonly #parts: DispatcherParts
  readonly #admission: Admission

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#admission = new Admission(parts, parts.clock, parts.rateLimit)
  }

  /**
   * Answers a call that is there as a whole; never throws. Synchronous where the handler is, so that a cached read
   * costs no turn of the loop.
   */
  answer(call: Call): Answer | Promise<Answer> {
    let target: Target<EndpointName> | undefined
    try {
      const found = SERVICE_ROUTER.find(call.method, call.path)
      target = found?.target
      return found ? this.perform(this.admit(found, call), call.body) : this.notServed(call, call.path)
    } catch (error) {
      return this.refused(error, call, target)
    }
  }

  /**
   * Everything that can be decided before the body is read.
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
   * Answers what was admitted in this turn of the event loop; never throws. What is more work than it was counted as is
   * counted when it is answered.
   */
  perform(admitted: Admitted, body: Body): Answer | Promise<Answer> {
    const { caller, name, head } = admitted
    const { clock } = this.#parts
    let requests = 0
    const begun = clock.monotonic()
    const answer = this.#answered(admitted, body, (more) => (requests += more))
    const ms = clock.monotonic() - begun
    const counted = (answered: Answer, tookMs: number): Answer => {
      this.counts.answered(name, head, answered.status, tookMs)
      if (caller !== null)
        this.#admission.charge(caller, weightOf(name), { ms, requests, answerBytes: bytesOf(answered) })
      return answered
    }
    return answer instanceof Promise
      ? answer.then((answered) => counted(answered, clock.monotonic() - begun))
      : counted(answer, ms)
  }

  #answered(admitted: Admitted, body: Body, spend: HandlerCall<Endpoint>['spend']): Answer | Promise<Answer> {
    const { head } = admitted
    try {
      const answer = this.#perform(admitted, body, spend)
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#refusal(error, head)) : answer
    } catch (error) {
      return this.#refusal(error, head)
    }
  }

  /** Answers a call that was admitted before its body arrived; never throws. */
  performLater(admitted: Admitted, body: Body): Answer | Promise<Answer> {
    try {
      return this.perform(admitted.caller ? this.#again(admitted) : admitted, body)
    } catch (error) {
      return this.refused(error, admitted.head, admitted.found.target)
    }
  }

  /**
   * The answer to a path that leads nowhere, or to a method that it does not take: only callers with a credential are
   * told which.
   */
  notServed(head: CallHead, path: string, refusal = new NotServed(offeredAt(path, head))): Answer {
    try {
      this.count(this.identify(head.token, head))
      throw refusal
    } catch (error) {
      return this.refused(error, head)
    }
  }

  /** Who is behind a token right now, or the refusal that a request of it would get. */
  identify(token: Presented, from: Pick<CallHead, 'via' | 'door' | 'peer'>): Caller {
    return this.#admission.identify(token, from)
  }

  /** Counts one request of a caller, or as many as it is the work of. */
  count(caller: Identity, weight = 1): void {
    this.#admission.count(caller, weight)
  }

  /** Counts so many requests more of a credential, for a message that was work before it was understood. */
  charge(credential: { readonly link: string }, requests: number): void {
    this.#admission.chargeMore(credential, requests)
  }

  /**
   * The answer to whatever was thrown on the way to one: a refusal as it says, a defect as `internal` with a reference
   * that the log has too (docs/decisions/refusals.md#codes). `target` is what the request was for, as far as that is
   * known.
   */
  refused(error: unknown, head: Pick<CallHead, 'method'> & Came, target?: Target<EndpointName>): Answer {
    const answer = this.#refusal(error, head)
    this.counts.answered(target !== undefined && 'name' in target ? target.name : '', head, answer.status, null)
    return answer
  }

  #refusal(error: unknown, head: Pick<CallHead, 'method'> & Came): Answer {
    const refusal = refusalOf(error)
    this.counts.refused(refusal?.code ?? 'internal')
    if (refusal) return refusalAnswer(refusal, head)
    const reference = randomId(this.#parts.random, REFERENCE_LENGTH)
    this.#parts.log.error({ err: error, reference, method: head.method }, 'A request failed.')
    return defectAnswer(`${ERRORS.internal.message} The log has it under ${reference}.`, reference)
  }

  /**
   * Admits what was admitted a while ago: an administrator may have taken back the credential or hidden the thing
   * meanwhile, so both are looked at again; the request was counted already.
   */
  #again({ found, head }: AdmittedCaller): AdmittedCaller {
    return this.#admitted(found, head, this.identify(head.token, head))
  }

  #admitted(found: Served, head: CallHead, caller: Caller): AdmittedCaller {
    const { target, params } = found
    if ('refused' in target) return this.#admission.refuse(target.refused, params, caller)
    const subject = this.#admission.subject(contractOf(target.name), params, caller, head)
    return { found, name: target.name, head, caller, subject }
  }

  #perform(admitted: Admitted, body: Body, spend: HandlerCall<Endpoint>['spend']): Answer | Promise<Answer> {
    const { name, head, found } = admitted
    const declared = contractOf(name)
    const query = validated(declared.query, head.query, 'query')
    if (!admitted.caller) return this.#open(name, declared, head, body)
    const value = declared.body ? heldTo(declared.body, bodyValue(body), admitted.caller.view) : noBody(body)
    const asked = { query, body: value, spend }
    const key = head.idempotencyKey
    if (key === undefined || !isWrite(declared)) return this.#act(admitted, asked)
    const { link } = admitted.caller.credential
    const request = [name, found.params, query, value]
    return this.#parts.idempotency.perform({ link, key, request }, () => this.#act(this.#again(admitted), asked), {
      refuse,
      failed: (error) => ({ answer: this.#refusal(error, head), undone: leavesUndone(error) }),
    })
  }

  #act(admitted: AdmittedCaller, { query, body, spend }: Asked): Answer | Promise<Answer> {
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
      spend,
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

  /** What was recorded is committed before the answer leaves: an acknowledged change has its activity row. */
  async #recorded(declared: Endpoint, content: unknown, caller: Caller, head: CallHead): Promise<Answer> {
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

/** The methods of a path that callers on this way may use; a call that is always refused is none of them. */
function offeredAt(path: string, { via }: Pick<CallHead, 'via'>): readonly string[] {
  return SERVICE_ROUTER.allowed(
    path,
    (target) => 'name' in target && (via === 'home' || contractOf(target.name).reach !== 'home'),
  )
}

function contractOf(name: EndpointName): Endpoint {
  return contract[name]
}

/** The body, held to its schema; of a step whose operation is wrong, the refusal lists those of its device. */
function heldTo(schema: z.ZodType, body: unknown, view: ExposedHouse): unknown {
  return validated(schema, body, 'body', (problem) =>
    operationProblem(problem, body, (device) => view.device(device)?.class),
  )
}

const weightOf = (name: EndpointName): number => contractOf(name).weight ?? 1

/** Refuses a body where none belongs, so that the client learns of its mistake. */
function noBody(body: Body): undefined {
  if (!isLeftOut(bodyValue(body))) refuse('validation', { message: 'This request takes no body.' })
  return undefined
}
