import type { Cause } from '../../home/model/cause.ts'
import type { Log } from '../../lib/log.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { type Answer, bodyValue, type Call } from '../call.ts'
import { refusalAnswer, refusalOf, refusedWith } from '../answers.ts'
import type { Endpoint, Plain } from '../endpoint.ts'
import { type Refuse, refuse } from '../errors.ts'
import { Router, routesOf } from '../router.ts'
import { validated } from '../validate.ts'
import type { z } from 'zod'
import { type AdminContract, adminContract } from './contract/index.ts'

/** The cause of every change over the socket file: who can open the file is an administrator. */
export const ADMIN_CAUSE: Cause = { source: 'person', name: 'administrator (command line)' }

/** What an administrator's handler gets. */
export interface AdminCall<E extends Endpoint> {
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: E['body'] extends z.ZodType ? z.output<E['body']> : undefined
  readonly cause: Cause
  readonly refuse: Refuse<E['errors'][number] | 'internal'>
}

/** What an administrator's handler answers. */
export type AdminContent<E extends Endpoint> = Plain<z.input<E['answer']>>

/** A handler for every declaration: an answer or a refusal that is not declared does not compile. */
export type AdminHandlersOf<C extends Record<string, Endpoint>> = {
  readonly [K in keyof C]: (call: AdminCall<C[K]>) => AdminContent<C[K]> | Promise<AdminContent<C[K]>>
}

const REFERENCE_LENGTH = 10

/** The administrators' pipeline: parse, handle, answer. There is no credential to check and nothing is hidden. */
export class AdminDispatcher {
  readonly #handlers: AdminHandlersOf<AdminContract>
  readonly #log: Log
  readonly #random: Random
  readonly #router = new Router(routesOf<keyof AdminContract>(adminContract, []))

  constructor(handlers: AdminHandlersOf<AdminContract>, log: Log, random: Random) {
    this.#handlers = handlers
    this.#log = log
    this.#random = random
  }

  async answer(call: Pick<Call, 'method' | 'path' | 'query' | 'body'>): Promise<Answer> {
    try {
      return await this.#answer(call)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal) return refusalAnswer(refusal)
      const reference = randomId(this.#random, REFERENCE_LENGTH)
      this.#log.error({ err: error, reference, method: call.method }, "An administrator's request failed.")
      const reason = error instanceof Error ? error.message : 'unknown'
      return refusedWith('internal', { message: `It failed: ${reason} (the log has it under ${reference}).` })
    }
  }

  async #answer(call: Pick<Call, 'method' | 'path' | 'query' | 'body'>): Promise<Answer> {
    const matched = this.#router.match(call.method, call.path)
    if (!matched.found || !('name' in matched.found.target))
      refuse('not_found', {
        message:
          'There is no such administrative request; the command line may be of another version than the gateway.',
      })
    const { target, params } = matched.found
    const declared: Endpoint = adminContract[target.name]
    const handler = this.#handlers[target.name] as (call: AdminCall<Endpoint>) => unknown
    const content = await handler({
      params: validated(declared.params, params, 'query'),
      query: validated(declared.query, call.query, 'query'),
      body: (declared.body ? validated(declared.body, bodyValue(call.body), 'body') : undefined) as undefined,
      cause: ADMIN_CAUSE,
      refuse,
    })
    return {
      status: declared.status ?? 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(content),
    }
  }
}
