import type { Cause } from '../home/model/events.ts'
import type { Log } from '../lib/log.ts'
import { type Random, randomId } from '../lib/random.ts'
import { type Answer, bodyValue, type Call } from '../api/call.ts'
import type { ApiCaller } from '../api/admission.ts'
import type { Operator } from '../auth/operators/operators.ts'
import { EXPOSITION_TYPE } from '../lib/exposition.ts'
import { defectAnswer, refusalAnswer, refusalOf } from '../api/answers.ts'
import type { PasskeySite } from '../auth/persons/passkeys.ts'
import type { PersonSession } from '../auth/persons/console-sessions.ts'
import type { Endpoint, Plain } from '../api/contract/endpoint.ts'
import { type Refuse, refuse } from '../api/errors.ts'
import { type Params, Router, routesOf } from '../api/router.ts'
import { validated } from '../api/validate.ts'
import type { z } from 'zod'
import { type AdminContract, adminContract } from './contract/index.ts'

/** Cause of all changes over the socket file; access to the file makes an administrator. */
export const ADMIN_CAUSE: Cause = { source: 'person', name: 'administrator (command line)' }

const JSON_TYPE = 'application/json; charset=utf-8'

/** A caller with a record, who reaches only what is declared `for` them. */
export interface MemberCaller {
  /** Null for a wall tablet. */
  readonly person: string | null
  /** The caller as the service's API sees it. @throws Refusal while the record is closed */
  readonly home: () => ApiCaller
}

/** The requesting person: a user of the socket file, or a person in a session of the console. */
export interface AdminCaller {
  readonly cause: Cause
  /** Null for an administrator. */
  readonly member: MemberCaller | null
  /** Null over the socket file. */
  readonly session: PersonSession | null
  /** True if the session has a recent password, passkey or link; always true over the socket file. */
  readonly fresh: boolean
  /** True until the first account exists; that account needs no fresh proof. */
  readonly isFirst: boolean
  /**
   * True if the person has a password (or a passkey for this site) to show again; else a new link opens a fresh
   * session.
   */
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
  /** Site of the page; null over the socket file. */
  readonly site: PasskeySite | null
  /** True for a program with an operator token. */
  readonly isOperator: boolean
  /** True while the session is valid; checked again after a wait, before a change. */
  readonly holds: () => boolean
}

export const BY_SOCKET: AdminCaller = {
  cause: ADMIN_CAUSE,
  member: null,
  session: null,
  fresh: true,
  isFirst: false,
  hasPassword: false,
  hasPasskey: false,
  site: null,
  isOperator: false,
  holds: () => true,
}

/** Caller with an operator token; its scopes need no further proof. */
export const byOperator = ({ name }: Pick<Operator, 'name'>): AdminCaller => ({
  ...BY_SOCKET,
  isOperator: true,
  cause: { source: 'person', name: `operator token “${name}”` },
})

/** Arguments of an administrators' handler. */
export interface AdminCall<E extends Endpoint> {
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: E['body'] extends z.ZodType ? z.output<E['body']> : undefined
  readonly cause: Cause
  readonly by: AdminCaller
  readonly refuse: Refuse<E['errors'][number] | 'internal'>
}

/** Result of an administrators' handler. */
export type AdminContent<E extends Endpoint> = Plain<z.input<E['answer']>>

/** A handler for every declaration; an undeclared response or refusal does not compile. */
export type AdminHandlersOf<C extends Record<string, Endpoint>> = {
  readonly [K in keyof C]: (call: AdminCall<C[K]>) => AdminContent<C[K]> | Promise<AdminContent<C[K]>>
}

const ROUTER = new Router(routesOf<keyof AdminContract>(adminContract, []))
const REFERENCE_LENGTH = 10

/** The administrators' pipeline: parse, handle, answer. It checks no credential, and hides things from members only. */
export class AdminDispatcher {
  readonly #handlers: AdminHandlersOf<AdminContract>
  readonly #log: Log
  readonly #random: Random

  constructor(handlers: AdminHandlersOf<AdminContract>, log: Log, random: Random) {
    this.#handlers = handlers
    this.#log = log
    this.#random = random
  }

  /** Handler of an operator token's requests to this path; null if its scopes do not include it. */
  forOperator(
    { method, path }: Pick<Call, 'method' | 'path'>,
    operator: Pick<Operator, 'name' | 'scopes'>,
  ): ((call: Pick<Call, 'query' | 'body'>) => Promise<Answer>) | null {
    const found = ROUTER.find(method, path)
    const declared: Endpoint | null = found && 'name' in found.target ? adminContract[found.target.name] : null
    if (declared?.operator === undefined || !operator.scopes.includes(declared.operator)) return null
    return (call) => this.answer({ ...call, method, path }, byOperator(operator))
  }

  async answer(call: Pick<Call, 'method' | 'path' | 'query' | 'body'>, by = BY_SOCKET): Promise<Answer> {
    try {
      return await this.#answer(call, by)
    } catch (error) {
      return this.failed(error, call.method)
    }
  }

  /** Response for a thrown error: its refusal, or a defect with a reference that the log has too. */
  failed(error: unknown, method: string): Answer {
    const refusal = refusalOf(error)
    if (refusal) return refusalAnswer(refusal)
    const reference = randomId(this.#random, REFERENCE_LENGTH)
    this.#log.error({ err: error, reference, method }, "An administrator's request failed.")
    const reason = error instanceof Error ? error.message : 'unknown'
    return defectAnswer(`The request failed: ${reason} (the log has it as ${reference}).`, reference)
  }

  async #answer(call: Pick<Call, 'method' | 'path' | 'query' | 'body'>, by: AdminCaller): Promise<Answer> {
    const { target, params } = this.#found(call, by)
    const declared: Endpoint = adminContract[target.name]
    if (declared.stepUp === true || (declared.stepUp === 'unless_first' && !by.isFirst)) refuseStale(by)
    const handler = this.#handlers[target.name] as (call: AdminCall<Endpoint>) => unknown
    const body: unknown = declared.body ? validated(declared.body, bodyValue(call.body), 'body') : undefined
    if (typeof declared.stepUp === 'function' && declared.stepUp(body)) refuseStale(by)
    const content = await handler({
      params: validated(declared.params, params, 'query'),
      query: validated(declared.query, call.query, 'query'),
      body: body as undefined,
      // A cause of its own for each request, because the effects of one request are counted by their cause.
      cause: { ...by.cause },
      by,
      refuse,
    })
    const [type, text] = typeof content === 'string' ? [EXPOSITION_TYPE, content] : [JSON_TYPE, JSON.stringify(content)]
    return { status: declared.status ?? 200, headers: { 'content-type': type }, body: text }
  }

  /**
   * Finds the endpoint. Those of the socket file do not exist for sessions, those of administrators not for members.
   */
  #found(
    { method, path }: Pick<Call, 'method' | 'path'>,
    { session, member }: AdminCaller,
  ): { readonly target: { readonly name: keyof AdminContract }; readonly params: Params } {
    const found = ROUTER.find(method, path)
    if (found && 'name' in found.target) {
      const { name } = found.target
      const declared: Endpoint = adminContract[name]
      if ((session === null || declared.reach !== 'socket') && isFor(declared, member))
        return { target: { name }, params: found.params }
    }
    return refuse('not_found', {
      message: 'This gateway has no such administrative request: the command line may have another version.',
    })
  }
}

function isFor({ for: people }: Pick<Endpoint, 'for'>, member: MemberCaller | null): boolean {
  return member === null || people === 'record' || (people === 'member' && member.person !== null)
}

/** True if a caller may see what belongs to this person: administrators see everything. */
export function isOwn({ member }: Pick<AdminCaller, 'member'>, person: string | null): boolean {
  return member === null || (person !== null && member.person === person)
}

/** Refuses a session without a recent password, passkey or link. */
export function refuseStale({ fresh, hasPassword, hasPasskey }: AdminCaller): void {
  if (fresh) return
  if (hasPassword || hasPasskey) refuse('sign_in_again')
  refuse('sign_in_again', {
    message: 'Sign in with a new link from `bin/hm console` or an administrator, then try again.',
  })
}
