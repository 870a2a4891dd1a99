import type { Cause } from '../home/model/events.ts'
import type { Log } from '../lib/log.ts'
import { type Random, randomId } from '../lib/random.ts'
import { type Answer, bodyValue, type Call } from '../api/call.ts'
import type { Operator } from '../auth/operators/operators.ts'
import { EXPOSITION_TYPE } from '../lib/exposition.ts'
import { defectAnswer, refusalAnswer, refusalOf } from '../api/answers.ts'
import type { Site } from '../auth/persons/passkeys.ts'
import type { PersonSession } from '../auth/persons/console-sessions.ts'
import type { Endpoint, Plain } from '../api/contract/endpoint.ts'
import { type Refuse, refuse } from '../api/errors.ts'
import { type Params, Router, routesOf } from '../api/router.ts'
import { validated } from '../api/validate.ts'
import type { z } from 'zod'
import { type AdminContract, adminContract } from './contract/index.ts'

/** The cause of every change over the socket file: who can open the file is an administrator. */
export const ADMIN_CAUSE: Cause = { source: 'person', name: 'administrator (command line)' }

const JSON_TYPE = 'application/json; charset=utf-8'

/** Which administrator asks: whoever opened the socket file, or a person in a session of the console. */
export interface AdminBy {
  readonly cause: Cause
  /** Null over the socket file. */
  readonly session: PersonSession | null
  /** Whether a password, passkey or link was shown lately; always so over the socket file. */
  readonly fresh: boolean
  /** Whether nobody has an account yet: whoever is in may make the first one at any time. */
  readonly isFirst: boolean
  /** Whether there is a password, or a passkey for this site, to show again; else a new link opens a fresh session. */
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
  /** Where the page is shown; null over the socket file. */
  readonly site: Site | null
  /** Whether a program asks, by an operator token. */
  readonly isOperator: boolean
  /** Whether the session still holds: what waited for something is asked it again before it changes anything. */
  readonly holds: () => boolean
}

export const BY_SOCKET: AdminBy = {
  cause: ADMIN_CAUSE,
  session: null,
  fresh: true,
  isFirst: false,
  hasPassword: false,
  hasPasskey: false,
  site: null,
  isOperator: false,
  holds: () => true,
}

/** A program that looks after the gateway; what its scopes let it do takes no further proof. */
export const byOperator = ({ name }: Pick<Operator, 'name'>): AdminBy => ({
  ...BY_SOCKET,
  isOperator: true,
  cause: { source: 'person', name: `operator token “${name}”` },
})

/** What an administrator's handler gets. */
export interface AdminCall<E extends Endpoint> {
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: E['body'] extends z.ZodType ? z.output<E['body']> : undefined
  readonly cause: Cause
  readonly by: AdminBy
  readonly refuse: Refuse<E['errors'][number] | 'internal'>
}

/** What an administrator's handler answers. */
export type AdminContent<E extends Endpoint> = Plain<z.input<E['answer']>>

/** A handler for every declaration: an answer or a refusal that is not declared does not compile. */
export type AdminHandlersOf<C extends Record<string, Endpoint>> = {
  readonly [K in keyof C]: (call: AdminCall<C[K]>) => AdminContent<C[K]> | Promise<AdminContent<C[K]>>
}

const ROUTER = new Router(routesOf<keyof AdminContract>(adminContract, []))
const REFERENCE_LENGTH = 10

/** The administrators' pipeline: parse, handle, answer. There is no credential to check and nothing is hidden. */
export class AdminDispatcher {
  readonly #handlers: AdminHandlersOf<AdminContract>
  readonly #log: Log
  readonly #random: Random

  constructor(handlers: AdminHandlersOf<AdminContract>, log: Log, random: Random) {
    this.#handlers = handlers
    this.#log = log
    this.#random = random
  }

  /**
   * What an operator token has its requests of this path answered by; null where its scopes let it do nothing there.
   */
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

  /** The answer to what was thrown: the refusal that it means, or a defect, which the log has under a reference. */
  failed(error: unknown, method: string): Answer {
    const refusal = refusalOf(error)
    if (refusal) return refusalAnswer(refusal)
    const reference = randomId(this.#random, REFERENCE_LENGTH)
    this.#log.error({ err: error, reference, method }, "An administrator's request failed.")
    const reason = error instanceof Error ? error.message : 'unknown'
    return defectAnswer(`It failed: ${reason} (the log has it under ${reference}).`, reference)
  }

  async #answer(call: Pick<Call, 'method' | 'path' | 'query' | 'body'>, by: AdminBy): Promise<Answer> {
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
      // What one request sets off is counted by its cause, which is therefore its own.
      cause: { ...by.cause },
      by,
      refuse,
    })
    const [type, text] = typeof content === 'string' ? [EXPOSITION_TYPE, content] : [JSON_TYPE, JSON.stringify(content)]
    return { status: declared.status ?? 200, headers: { 'content-type': type }, body: text }
  }

  /** What only the socket file serves is not there for sessions. */
  #found(
    { method, path }: Pick<Call, 'method' | 'path'>,
    { session }: AdminBy,
  ): { readonly target: { readonly name: keyof AdminContract }; readonly params: Params } {
    const found = ROUTER.find(method, path)
    if (found && 'name' in found.target) {
      const { name } = found.target
      const declared: Endpoint = adminContract[name]
      if (session === null || declared.reach !== 'socket') return { target: { name }, params: found.params }
    }
    return refuse('not_found', {
      message: 'There is no such administrative request; who asks may be of another version than the gateway.',
    })
  }
}

/** Refuses a session that did not show a password, passkey or link lately. */
export function refuseStale({ fresh, hasPassword, hasPasskey }: AdminBy): void {
  if (fresh) return
  if (hasPassword || hasPasskey) refuse('sign_in_again')
  refuse('sign_in_again', { message: 'Come in by a new link, which `bin/hm console` makes; then try again.' })
}
