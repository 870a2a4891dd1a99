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

/** Arguments of a handler: everything checked, and only the exposed part of the home. */
export interface HandlerCall<E extends Endpoint> {
  readonly subject: SubjectOf[E['subject']]
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: E['body'] extends z.ZodType ? z.output<E['body']> : undefined
  readonly view: ExposedHouse
  readonly identity: Identity
  /** Cause of all writes of this call. */
  readonly cause: Cause
  /** The caller's names for fields, for refusals of a part of the request. */
  readonly naming: Naming | undefined
  /** Refuses with one of the codes that the endpoint declares, or `validation`. */
  readonly refuse: Refuse<E['errors'][number]>
  /** Counts further requests for work after the handler's return. */
  readonly countMore: (requests: number) => void
}

/** A response that is already serialised; `etag` names the bytes. */
export interface Prebuilt {
  readonly prebuilt: Buffer
  readonly etag: string
  /** Gzip encoding of the bytes, if they are stored for more than one request. */
  readonly gzipped?: Gzipped
  /** Offset of each item, if the response is a list. */
  readonly items?: readonly number[]
}

/**
 * A complete response as text, including the home's name, stored from an earlier request. Short responses are sent
 * faster as text.
 */
export interface PrebuiltText {
  readonly text: string
  /** Byte length of the text. */
  readonly bytes: number
  /** Only for endpoints with tagged responses. */
  readonly etag?: string
}

/** A new object with its path. */
export interface Created<T> {
  readonly created: T
  readonly location: string
}

/** Result of a handler: the fields without `house`. */
export type Content<E extends Endpoint> =
  | Plain<z.input<E['answer']>>
  | Prebuilt
  | PrebuiltText
  | Created<Plain<z.input<E['answer']>>>

export type Handler<E extends Endpoint> = (call: HandlerCall<E>) => Content<E> | Promise<Content<E>>

/** Arguments of an open endpoint's handler: only the caller's address is known. */
export interface OpenCall<E extends Endpoint> {
  readonly body: HandlerCall<E>['body']
  readonly via: Via
  readonly peer: string
  readonly refuse: HandlerCall<E>['refuse']
}

/** A literal response of an open endpoint, sent as declared. */
export interface Literal<B = unknown> {
  readonly status: LiteralStatus
  readonly literal: B
}

type LiteralOf<E extends Endpoint> = E extends { readonly literal: infer L extends Record<number, z.ZodType> }
  ? { [S in keyof L & LiteralStatus]: { readonly status: S; readonly literal: Plain<z.input<L[S]>> } }[keyof L &
      LiteralStatus]
  : never

export type OpenHandler<E extends Endpoint> = (call: OpenCall<E>) => Plain<z.input<E['answer']>> | LiteralOf<E>

/** A handler for every declaration; a missing handler or an undeclared refusal does not compile. */
export type HandlersOf<C extends Record<string, Endpoint>> = {
  readonly [K in keyof C]: C[K] extends { readonly reach: 'open' } ? OpenHandler<C[K]> : Handler<C[K]>
}

export const isPrebuilt = (content: unknown): content is Prebuilt => isObject(content) && 'prebuilt' in content

export const isPrebuiltText = (content: unknown): content is PrebuiltText => isObject(content) && 'text' in content

export const isCreated = (content: unknown): content is Created<unknown> => isObject(content) && 'created' in content

export const isLiteral = (content: unknown): content is Literal => isObject(content) && 'literal' in content
