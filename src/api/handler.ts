import type { z } from 'zod'
import type { Identity } from '../auth/authenticator.ts'
import type { Via } from '../auth/credentials/credentials.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { Cause } from '../home/model/events.ts'
import type { Gzipped } from '../lib/gzipped.ts'
import { isObject } from '../lib/json.ts'
import type { Endpoint, LiteralStatus, Plain, SubjectOf } from './contract/endpoint.ts'
import type { Refuse } from './errors.ts'
import type { Naming } from '../wire/errors.ts'

/** What a handler gets: everything checked, and of the home only what is exposed. */
export interface HandlerCall<E extends Endpoint> {
  readonly subject: SubjectOf[E['subject']]
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: E['body'] extends z.ZodType ? z.output<E['body']> : undefined
  readonly view: ExposedHouse
  readonly identity: Identity
  /** Who is asking, as every write takes it. */
  readonly cause: Cause
  /** What the caller calls the fields, for refusals of a part of the request. */
  readonly naming: Naming | undefined
  /** Refuses with one of the codes that the endpoint declares, or `validation`. */
  readonly refuse: Refuse<E['errors'][number]>
  /** Counts the request as so many more, for work that is done after the handler has returned. */
  readonly spend: (requests: number) => void
}

/** An answer that is bytes already; `etag` names them. */
export interface Prebuilt {
  readonly prebuilt: Buffer
  readonly etag: string
  /** The same bytes for clients that take gzip, where they are kept for more than one request. */
  readonly gzipped?: Gzipped
  /** Of a list: where in the bytes each item begins. */
  readonly items?: readonly number[]
}

/** A whole answer as text, the home's name in it, kept from an earlier request; of short ones text is sent sooner. */
export interface Whole {
  readonly whole: string
  /** How many the text is. */
  readonly bytes: number
  /** Where the endpoint's answers are tagged. */
  readonly etag?: string
}

/** A new object with its place. */
export interface Created<T> {
  readonly created: T
  readonly location: string
}

/** What a handler answers: the fields beside `house`. */
export type Content<E extends Endpoint> =
  | Plain<z.input<E['answer']>>
  | Prebuilt
  | Whole
  | Created<Plain<z.input<E['answer']>>>

export type Handler<E extends Endpoint> = (call: HandlerCall<E>) => Content<E> | Promise<Content<E>>

/** What the handler of an open endpoint gets: of its caller only the address is known. */
export interface OpenCall<E extends Endpoint> {
  readonly body: HandlerCall<E>['body']
  readonly via: Via
  readonly peer: string
  readonly refuse: HandlerCall<E>['refuse']
}

/** One of the answers that an open endpoint declares beside its own, as it is sent. */
export interface Literal<B = unknown> {
  readonly status: LiteralStatus
  readonly literal: B
}

type LiteralOf<E extends Endpoint> = E extends { readonly literal: infer L extends Record<number, z.ZodType> }
  ? { [S in keyof L & LiteralStatus]: { readonly status: S; readonly literal: Plain<z.input<L[S]>> } }[keyof L &
      LiteralStatus]
  : never

export type OpenHandler<E extends Endpoint> = (call: OpenCall<E>) => Plain<z.input<E['answer']>> | LiteralOf<E>

/** A handler for every declaration: a missing one, or a refusal that is not declared, does not compile. */
export type HandlersOf<C extends Record<string, Endpoint>> = {
  readonly [K in keyof C]: C[K] extends { readonly reach: 'open' } ? OpenHandler<C[K]> : Handler<C[K]>
}

export const isPrebuilt = (content: unknown): content is Prebuilt => isObject(content) && 'prebuilt' in content

export const isWhole = (content: unknown): content is Whole => isObject(content) && 'whole' in content

export const isCreated = (content: unknown): content is Created<unknown> => isObject(content) && 'created' in content

export const isLiteral = (content: unknown): content is Literal => isObject(content) && 'literal' in content
