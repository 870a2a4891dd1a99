import type { z } from 'zod'
import type { Endpoint, Method, Plain } from './contract/endpoint.ts'

/** A request on its way to a pipeline: the path filled in, the query as text. */
export interface ClientRequest {
  readonly method: Method
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Undefined where there is none. */
  readonly body: unknown
}

type ParamsPart<E extends Endpoint> = { readonly [N in keyof E['params']['shape']]: string }
type QueryPart<E extends Endpoint> = keyof E['query']['shape'] extends never
  ? unknown
  : { readonly query?: z.input<E['query']> }
type BodyPart<E extends Endpoint> = E['body'] extends z.ZodType ? { readonly body: z.input<E['body']> } : unknown

/** What a call of an endpoint takes: what its path names, and query and body where it has them. */
export type Asking<E extends Endpoint> = ParamsPart<E> & QueryPart<E> & BodyPart<E>

/** The same with a body that somebody else wrote. */
export type Relayed<E extends Endpoint> = ParamsPart<E> & QueryPart<E> & { readonly body: object }

/** What an endpoint answers, as declared. */
export type AnswerOf<E extends Endpoint> = Plain<z.output<E['answer']>>

type Arguments<A> = Partial<A> extends A ? readonly [asking?: A] : readonly [asking: A]

/**
 * Calls the endpoints of a contract by name, with what each takes and answers by type. What is sent and what comes back
 * is checked by the pipeline and by tests, not here. `Added` is what every answer carries beside what is declared.
 */
export class Client<C extends Readonly<Record<string, Endpoint>>, Added = unknown> {
  readonly #contract: C
  readonly #send: (request: ClientRequest) => Promise<unknown>

  /** @param send resolves with the fields of the answer, and rejects when it is a refusal. */
  constructor(contract: C, send: (request: ClientRequest) => Promise<unknown>) {
    this.#contract = contract
    this.#send = send
  }

  ask<N extends keyof C & string>(name: N, ...[asking]: Arguments<Asking<C[N]>>): Promise<Added & AnswerOf<C[N]>> {
    return this.#perform(name, asking ?? {})
  }

  /** Passes on a body that somebody else wrote: only the pipeline checks it. */
  relay<N extends keyof C & string>(name: N, asking: Relayed<C[N]>): Promise<Added & AnswerOf<C[N]>> {
    return this.#perform(name, asking)
  }

  #perform<N extends keyof C & string>(
    name: N,
    { query = {}, body, ...params }: { readonly query?: object; readonly body?: unknown },
  ): Promise<Added & AnswerOf<C[N]>> {
    const { method, path } = this.#contract[name] as Endpoint
    const request = {
      method,
      path: filled(path, params),
      query: Object.fromEntries(Object.entries(stated(query)).map(([key, value]) => [key, String(value)])),
      body: typeof body === 'object' && body !== null ? stated(body) : body,
    }
    return this.#send(request) as Promise<Added & AnswerOf<C[N]>>
  }
}

/**
 * Each parameter becomes one segment of the path, whatever is in it. Half a character cannot stand in a path, and no id
 * has any.
 */
function filled(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name]).toWellFormed()))
}

/** Without the fields that are undefined, as JSON leaves them out. */
function stated(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
