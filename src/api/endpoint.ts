import type { z } from 'zod'
import type { ExposedDevice, ExposedFloor, ExposedRoom, ExposedScene } from '../exposure/exposed-house.ts'
import type { KNOB_VALUES, KnobName } from '../exposure/knobs.ts'
import type { ErrorCode } from './errors.ts'

/**
 * What an endpoint is: pure data, from which come the routes of every transport, the OpenAPI operation, the AsyncAPI message and
 * the table of knobs and errors. A handler for each is forced by type (`HandlersOf` in handler.ts).
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
  /** Rules, by the id of the path: their knob covers seeing them, so they are looked up behind it. */
  automation: string
  schedule: string
  none: null
}
export type SubjectKind = keyof SubjectOf

export function isRuleKind(kind: SubjectKind): kind is 'automation' | 'schedule' {
  return kind === 'automation' || kind === 'schedule'
}

/** Which knob an operation needs, and how it is refused without it. */
export type Gate = {
  [K in KnobName]: {
    readonly knob: K
    readonly anyOf: readonly (typeof KNOB_VALUES)[K][number][]
    readonly else: ErrorCode
  }
}[KnobName]

type ParamsOf<P extends string> = P extends `${string}{${infer N}}${infer R}` ? N | ParamsOf<R> : never

/** Statuses of literal refusals. */
export type LiteralStatus = 400 | 429

export interface EndpointRest {
  readonly summary: string
  /** Where the specification says so. */
  readonly spec: string
  readonly subject: SubjectKind
  readonly gate?: Gate
  /** `open`: no credential. `home`: only on the gateway itself, never through the relay. */
  readonly reach?: 'open' | 'home'
  readonly query: z.ZodObject
  readonly body: z.ZodType | null
  /** Fields beside `house`, which every answer carries (Spec 1 point 5) but those of open endpoints: whoever has no credential is not told the home's name. */
  readonly answer: z.ZodType
  readonly status?: 200 | 201
  /** The answer carries an ETag, and `If-None-Match` is answered 304 while it holds. */
  readonly tagged?: boolean
  /** Refusals that the handler itself may make; the pipeline's own are added to every operation. */
  readonly errors: readonly ErrorCode[]
  /** Answers of an open endpoint that are no Error shape, by status (D9: what clients of the device flow read). */
  readonly literal?: { readonly [S in LiteralStatus]?: z.ZodType }
  /** Methods that do the same (Spec 4: PUT as PATCH). */
  readonly aliases?: readonly Method[]
}

export interface Endpoint extends EndpointRest {
  readonly method: Method
  readonly path: string
  readonly params: z.ZodObject
}

/** The path is an argument of its own, so that `{id}` without `params.id` does not compile. */
export function endpoint<
  const M extends Method,
  const P extends `/v1/${string}` | `/admin/v1/${string}`,
  PS extends z.ZodObject<Record<ParamsOf<P>, z.ZodType>>,
  const D extends EndpointRest,
>(
  method: M,
  path: P,
  rest: D & { readonly params: PS },
): D & { readonly params: PS; readonly method: M; readonly path: P } {
  return { method, path, ...rest }
}

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
