import { z } from 'zod'
import type { ExposedDevice, ExposedFloor, ExposedRoom, ExposedScene } from '../../exposure/exposed-house.ts'
import type { OperatorScope } from '../../auth/operators/operators.ts'
import type { KNOB_VALUES, KnobName } from '../../exposure/knobs.ts'
import { Id, NoQuery } from './shapes.ts'
import type { ErrorCode, RefusalDetails } from '../../wire/errors.ts'

/**
 * What an endpoint is: pure data, from which come the routes of every transport, the OpenAPI operation, the AsyncAPI
 * message and the table of knobs and errors. A handler for each is forced by type (`HandlersOf` in handler.ts).
 */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** What the `{id}` of a path names; it is looked up in the exposed view before any knob is asked. */
export interface SubjectOf {
  /** A unit, module, gang or scene. */
  thing: ExposedDevice | ExposedScene
  device: ExposedDevice
  scene: ExposedScene
  room: ExposedRoom
  floor: ExposedFloor
  /** Rules and runs, by the id of the path: knobs cover seeing them, so they are looked up behind those. */
  automation: string
  schedule: string
  run: string
  none: null
}
export type SubjectKind = keyof SubjectOf

/** Subjects that are not in the house. */
export type RuleSubject = 'automation' | 'schedule' | 'run'

export function isRuleKind(kind: SubjectKind): kind is RuleSubject {
  return kind === 'automation' || kind === 'schedule' || kind === 'run'
}

/** Which knob an operation needs, and how it is refused without it. */
export type Gate = {
  [K in KnobName]: {
    readonly knob: K
    readonly anyOf: readonly (typeof KNOB_VALUES)[K][number][]
    readonly else: ErrorCode
    /** Where the code has several reasons: what is said of this one. */
    readonly details?: RefusalDetails
    /** Further values that suffice for some paths: what the handler refuses there has nothing to do with the knob. */
    readonly also?: {
      readonly anyOf: readonly (typeof KNOB_VALUES)[K][number][]
      readonly where: (params: Readonly<Record<string, string>>) => boolean
    }
  }
}[KnobName]

type ParamNamesOf<P extends string> = P extends `${string}{${infer N}}${infer R}` ? N | ParamNamesOf<R> : never

/** Statuses of literal refusals. */
export type LiteralStatus = 400 | 429

/** What is written of an endpoint; what is left out is as `Defaults` says. */
interface Declaration {
  readonly summary: string
  /** Where the specification says so; the administrators' API is not in it. */
  readonly spec?: string
  /** `none` unless told otherwise. */
  readonly subject?: SubjectKind
  readonly gate?: Gate
  /**
   * `open`: no credential. `home`: only on the gateway itself, never through the relay. `socket`: of the administrators'
   * API, what only the socket file serves: it names files of the gateway's own disk.
   */
  readonly reach?: 'open' | 'home' | 'socket'
  /**
   * Of the administrators' API: over the network only while the session is fresh (docs/console.md#sessions). A function
   * says for which bodies. `unless_first`: not while nobody has an account to sign in to.
   */
  readonly stepUp?: true | 'unless_first' | ((body: unknown) => boolean)
  /** Of the administrators' API: the scope by which an operator token is served too. */
  readonly operator?: OperatorScope
  /** The names in the path; ids unless told otherwise. */
  readonly params?: z.ZodObject
  /** Nothing unless told otherwise. */
  readonly query?: z.ZodObject
  /** None unless told otherwise. */
  readonly body?: z.ZodType
  /**
   * Fields beside `house`, which every answer carries (Spec 1 point 5) but those of open endpoints: whoever has no
   * credential is not told the home's name.
   */
  readonly answer: z.ZodType
  readonly status?: 200 | 201
  /** The answer carries an ETag, made of its bytes alone, and `If-None-Match` is answered 304 while it holds. */
  readonly tagged?: boolean
  /** Refusals that the handler itself may make, beside those that subject, gate and reach imply. */
  readonly errors?: readonly ErrorCode[]
  /**
   * Answers of an open endpoint that are no Error shape, by status (docs/agents.md#pairing: what clients of the device
   * flow read).
   */
  readonly literal?: { readonly [S in LiteralStatus]?: z.ZodType }
  /** Its handler changes configuration before it returns, and nothing else; answered when the disk has it. */
  readonly configures?: true
  /** How many requests it counts as, where it is the work of many. */
  readonly weight?: number
  /** A call that changes nothing, whatever its method. */
  readonly reads?: true
  /** Methods that do the same (Spec 4: PUT as PATCH). */
  readonly aliases?: readonly Method[]
}

/** Whether a call may change something; its repetition then takes an Idempotency-Key. */
export function isWrite({ method, reads, reach }: Pick<Endpoint, 'method' | 'reads' | 'reach'>): boolean {
  return method !== 'GET' && reads !== true && reach !== 'open'
}

/** A declaration with everything that it leaves out. */
export interface Endpoint extends Omit<Declaration, 'body'> {
  readonly method: Method
  readonly path: string
  readonly subject: SubjectKind
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  readonly body: z.ZodType | null
  /** Every refusal that this endpoint adds to those of the pipeline. */
  readonly errors: readonly ErrorCode[]
}

interface Defaults<P extends string> {
  readonly subject: 'none'
  readonly params: z.ZodObject<Readonly<Record<ParamNamesOf<P>, typeof Id>>>
  readonly query: typeof NoQuery
  readonly body: null
}

/** The refusals that come before the handler because of what is declared. */
type ImpliedErrors<D> =
  | (D extends { readonly subject: Exclude<SubjectKind, 'none'> } | { readonly reach: 'home' } ? 'not_found' : never)
  | (D extends { readonly gate: { readonly else: infer C extends ErrorCode } } ? C : never)
  | (D extends { readonly errors: readonly (infer C extends ErrorCode)[] } ? C : never)

type Declared<M extends Method, P extends string, D> = Omit<Defaults<P>, keyof D> &
  Omit<D, 'errors'> & { readonly method: M; readonly path: P; readonly errors: readonly ImpliedErrors<D>[] }

/** Declares an endpoint; the path is an argument of its own, so that its `{id}` becomes a parameter. */
export function endpoint<
  const M extends Method,
  const P extends `/v1/${string}` | `/admin/v1/${string}`,
  const D extends Declaration,
>(method: M, path: P, declaration: D): Declared<M, P, D> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, Id] as const)
  const complete: Endpoint = {
    subject: 'none',
    params: z.strictObject(Object.fromEntries(names)),
    query: NoQuery,
    body: null,
    ...declaration,
    method,
    path,
    errors: impliedErrors(declaration),
  }
  // The type repeats these lines for each declaration; the compiler cannot follow them over a generic spread.
  return complete as unknown as Declared<M, P, D>
}

function impliedErrors({ subject = 'none', reach, gate, errors = [] }: Declaration): readonly ErrorCode[] {
  return [
    ...(subject === 'none' && reach !== 'home' ? [] : (['not_found'] as const)),
    ...(gate ? [gate.else] : []),
    ...errors,
  ]
}

/** A declared shape without the index signatures that loose objects bring: exactly what is declared. */
export type Plain<T> = T extends readonly (infer E)[]
  ? readonly Plain<E>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? never : K]: Plain<T[K]> }
    : T

/** A call that the specification names a refusal for: known, looked up, and always refused. */
export interface RefusedCall {
  readonly method: Method
  readonly path: string
  readonly code: ErrorCode
  readonly subject: SubjectKind
  readonly gate?: Gate
  readonly summary: string
  readonly spec: string
}
