import type { z } from 'zod'
import type { Endpoint, Method, Plain } from './contract/endpoint.ts'

/** A request for the pipeline: path parameters filledPath in, query as text. */
export interface ClientRequest {
  readonly method: Method
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Undefined if the endpoint takes none. */
  readonly body: unknown
}

type ParamsPart<E extends Endpoint> = { readonly [N in keyof E['params']['shape']]: string }
type QueryPart<E extends Endpoint> = keyof E['query']['shape'] extends never
  ? unknown
  : { readonly query?: z.input<E['query']> }
type BodyPart<E extends Endpoint> = E['body'] extends z.ZodType ? { readonly body: z.input<E['body']> } : unknown

/** Arguments of a call: path parameters, and query and body if the endpoint has them. */
export type CallArguments<E extends Endpoint> = ParamsPart<E> & QueryPart<E> & BodyPart<E>

/** Arguments of a call that passes on the body of another client. */
export type RelayedArguments<E extends Endpoint> = ParamsPart<E> & QueryPart<E> & { readonly body: object }

/** Declared response of an endpoint. */
export type AnswerOf<E extends Endpoint> = Plain<z.output<E['answer']>>

type Arguments<A> = Partial<A> extends A ? readonly [args?: A] : readonly [args: A]

/**
 * Calls the endpoints of a contract by name, with typed arguments and responses. The pipeline and tests check values,
 * not this class. `Added` has the fields that every response carries beyond its declaration.
 */
export class ContractClient<C extends Readonly<Record<string, Endpoint>>, Added = unknown> {
  readonly #contract: C
  readonly #send: (request: ClientRequest) => Promise<unknown>

  /** @param send resolves with the fields of the response, and rejects if it is a refusal. */
  constructor(contract: C, send: (request: ClientRequest) => Promise<unknown>) {
    this.#contract = contract
    this.#send = send
  }

  ask<N extends keyof C & string>(name: N, ...[args]: Arguments<CallArguments<C[N]>>): Promise<Added & AnswerOf<C[N]>> {
    return this.#perform(name, args ?? {})
  }

  /** Passes on the body of another client; only the pipeline checks it. */
  relay<N extends keyof C & string>(name: N, args: RelayedArguments<C[N]>): Promise<Added & AnswerOf<C[N]>> {
    return this.#perform(name, args)
  }

  #perform<N extends keyof C & string>(
    name: N,
    { query = {}, body, ...params }: { readonly query?: object; readonly body?: unknown },
  ): Promise<Added & AnswerOf<C[N]>> {
    const { method, path } = this.#contract[name] as Endpoint
    const request = {
      method,
      path: filledPath(path, params),
      query: Object.fromEntries(Object.entries(withoutUndefined(query)).map(([key, value]) => [key, String(value)])),
      body: typeof body === 'object' && body !== null ? withoutUndefined(body) : body,
    }
    return this.#send(request) as Promise<Added & AnswerOf<C[N]>>
  }
}

/**
 * Fills path parameters, one segment for each, whatever they hold. Lone surrogates cannot stand in a path and occur in
 * no id.
 */
function filledPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name]).toWellFormed()))
}

/** Removes undefined fields, like JSON. */
function withoutUndefined(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
