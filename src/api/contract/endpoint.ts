import type { z } from 'zod'
import type {
  ExposedDevice,
  ExposedFloor,
  ExposedGroup,
  ExposedRoom,
  ExposedScene,
} from '../../exposure/exposed-house.ts'
import type { OperatorScope } from '../../auth/operators/operators.ts'
import type { KNOB_VALUES, KnobName } from '../../exposure/knobs.ts'
import { strictObject } from '../../lib/late-object.ts'
import { Id, NoQuery } from './shapes.ts'
import type { ErrorCode, RefusalDetails } from '../../wire/errors.ts'

/**
 * Declarations of endpoints are pure data: routes of all transports, OpenAPI operations, AsyncAPI messages and the
 * table of knobs and errors come from them. The type `HandlersOf` (handler.ts) requires a handler for each.
 */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Types behind `{id}` in a path. The subject is looked up in the exposed view before any knob is checked. */
export interface SubjectOf {
  /** A unit, module, gang or scene. */
  thing: ExposedDevice | ExposedScene
  device: ExposedDevice
  scene: ExposedScene
  group: ExposedGroup
  room: ExposedRoom
  floor: ExposedFloor
  /**
   * Rules, runs and messages, by the id in the path. Knobs decide whether they are visible, so their look-up comes
   * after the knob.
   */
  automation: string
  schedule: string
  run: string
  message: string
  /** The mode of the home; while it is hidden, its paths are unknown. */
  mode: true
  /** The people of the home; while they are hidden, their paths are unknown. */
  people: true
  /** The id of a person whose presence the integration may report. */
  person: string
  none: null
}
export type SubjectKind = keyof SubjectOf

/** Subjects outside the house. */
export type RuleSubject = 'automation' | 'schedule' | 'run' | 'message'

export function isRuleKind(kind: SubjectKind): kind is RuleSubject {
  return kind === 'automation' || kind === 'schedule' || kind === 'run' || kind === 'message'
}

/** The knob that an operation needs, and the refusal without it. */
export type Gate = {
  [K in KnobName]: {
    readonly knob: K
    readonly anyOf: readonly (typeof KNOB_VALUES)[K][number][]
    readonly else: ErrorCode
    /** Details of the refusal, if its code has several reasons. */
    readonly details?: RefusalDetails
    /**
     * Further values that suffice for some paths, because the handler's own refusal there does not depend on the knob.
     */
    readonly also?: {
      readonly anyOf: readonly (typeof KNOB_VALUES)[K][number][]
      readonly where: (params: Readonly<Record<string, string>>) => boolean
    }
  }
}[KnobName]

type ParamNamesOf<P extends string> = P extends `${string}{${infer N}}${infer R}` ? N | ParamNamesOf<R> : never

/** Statuses of refusals that are sent literally. */
export type LiteralStatus = 400 | 429

/** The written part of a declaration; `Defaults` has the rest. */
interface Declaration {
  readonly summary: string
  /** Section of the specification; the administrators' API has none. */
  readonly spec?: string
  /** `none` by default. */
  readonly subject?: SubjectKind
  readonly gate?: Gate
  /**
   * `open`: no credential. `home`: only on the gateway itself, never through the relay. `socket`: administrators'
   * endpoints that name files on the gateway's disk, so only the socket file serves them.
   */
  readonly reach?: 'open' | 'home' | 'socket'
  /** People beside administrators who reach an administrators' endpoint: members, or whoever has a record. */
  readonly for?: 'member' | 'record'
  /**
   * Administrators' endpoints that need a fresh session over the network (docs/console.md#sessions). A function decides
   * by the body. `unless_first`: no check until the first account exists.
   */
  readonly stepUp?: true | 'unless_first' | ((body: unknown) => boolean)
  /** Scope of operator tokens that may also call this administrators' endpoint. */
  readonly operator?: OperatorScope
  /** Path parameters; ids by default. */
  readonly params?: z.ZodObject
  /** Empty by default. */
  readonly query?: z.ZodObject
  /** No body by default. */
  readonly body?: z.ZodType
  /**
   * Response fields without `house`. Every response carries `house` (Spec 1 point 5), but open endpoints leave it out:
   * callers without a credential do not learn the home's name.
   */
  readonly answer: z.ZodType
  readonly status?: 200 | 201
  /** The response carries an ETag computed from its bytes, and a matching `If-None-Match` gets 304. */
  readonly tagged?: boolean
  /** Refusals of the handler itself; subject, gate and reach imply others. */
  readonly errors?: readonly ErrorCode[]
  /**
   * Responses of an open endpoint outside the Error shape, by status. Clients of the device flow read them
   * (docs/agents.md#pairing).
   */
  readonly literal?: { readonly [S in LiteralStatus]?: z.ZodType }
  /** The handler only changes configuration, before it returns. The response waits until the change is on the disk. */
  readonly configures?: true
  /** Number of requests that a call counts as; 1 by default. */
  readonly weight?: number
  /** The call changes nothing, whatever its method. */
  readonly reads?: true
  /** Methods with the same effect (Spec 4: PUT like PATCH). */
  readonly aliases?: readonly Method[]
}

/** True if a call may change something. Clients may repeat such a call with an Idempotency-Key. */
export function isWrite({ method, reads, reach }: Pick<Endpoint, 'method' | 'reads' | 'reach'>): boolean {
  return method !== 'GET' && reads !== true && reach !== 'open'
}

/** A declaration with its defaults filled in. */
export interface Endpoint extends Omit<Declaration, 'body'> {
  readonly method: Method
  readonly path: string
  readonly subject: SubjectKind
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  readonly body: z.ZodType | null
  /** Refusals of this endpoint beyond the pipeline's own. */
  readonly errors: readonly ErrorCode[]
}

interface Defaults<P extends string> {
  readonly subject: 'none'
  readonly params: z.ZodObject<Readonly<Record<ParamNamesOf<P>, typeof Id>>>
  readonly query: typeof NoQuery
  readonly body: null
}

/** Refusals before the handler that follow from the declaration. */
type ImpliedErrors<D> =
  | (D extends { readonly subject: Exclude<SubjectKind, 'none'> } | { readonly reach: 'home' } ? 'not_found' : never)
  | (D extends { readonly gate: { readonly else: infer C extends ErrorCode } } ? C : never)
  | (D extends { readonly errors: readonly (infer C extends ErrorCode)[] } ? C : never)

type Declared<M extends Method, P extends string, D> = Omit<Defaults<P>, keyof D> &
  Omit<D, 'errors'> & { readonly method: M; readonly path: P; readonly errors: readonly ImpliedErrors<D>[] }

/** Declares an endpoint. The path is an argument of its own, so that its `{id}` becomes a typed parameter. */
export function endpoint<
  const M extends Method,
  const P extends `/v1/${string}` | `/admin/v1/${string}`,
  const D extends Declaration,
>(method: M, path: P, declaration: D): Declared<M, P, D> {
  const complete: Endpoint = {
    subject: 'none',
    params: paramsOf(path),
    query: NoQuery,
    body: null,
    ...declaration,
    method,
    path,
    errors: impliedErrors(declaration),
  }
  // The type repeats these lines, because the compiler cannot follow a generic spread.
  return complete as unknown as Declared<M, P, D>
}

const madeParams = new Map<string, z.ZodObject>()

/** Parameters of a path. Paths with the same names share them: a start makes a schema for few of all endpoints. */
function paramsOf(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const key = names.join()
  const params = madeParams.get(key) ?? strictObject(() => Object.fromEntries(names.map((name) => [name, Id])))
  madeParams.set(key, params)
  return params
}

function impliedErrors({ subject = 'none', reach, gate, errors = [] }: Declaration): readonly ErrorCode[] {
  return [
    ...(subject === 'none' && reach !== 'home' ? [] : (['not_found'] as const)),
    ...(gate ? [gate.else] : []),
    ...errors,
  ]
}

/** A declared shape without the index signatures of loose objects. */
export type Plain<T> = T extends readonly (infer E)[]
  ? readonly Plain<E>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? never : K]: Plain<T[K]> }
    : T

/** A known call that is always refused, with the code that the specification names. */
export interface RefusedCall {
  readonly method: Method
  readonly path: string
  readonly code: ErrorCode
  readonly subject: SubjectKind
  readonly gate?: Gate
  readonly summary: string
  readonly spec: string
}
