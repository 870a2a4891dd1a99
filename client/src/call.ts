import type { Paths } from './contract.ts'

/** The methods of the service, as `call` takes them. */
export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

/** The paths that take a method. */
export type PathOf<M extends Method, Contract = Paths> = {
  [P in keyof Contract]: M extends keyof Contract[P] ? P : never
}[keyof Contract] &
  string

/** Request and response types of one call. */
export type CallOf<M extends Method, P, Contract = Paths> = P extends keyof Contract
  ? M extends keyof Contract[P]
    ? Contract[P][M]
    : never
  : never

/** Options of every call. */
export interface CallOptions {
  /** Stops waiting for the response. The gateway may still carry out the request. */
  readonly signal?: AbortSignal
}

export interface WriteOptions extends CallOptions {
  /**
   * Unique key of this change, 1 to 255 printable characters. The gateway makes the change once per key.
   */
  readonly idempotencyKey?: string
}

/** Input of a call: path parameters, query and body from the contract. */
export type InputOf<C> = Pick<C, Extract<keyof C, 'path' | 'query' | 'body'>> &
  (C extends { readonly keyed: true } ? WriteOptions : CallOptions)

/** Last argument of `call`; optional if the call needs no input. */
export type InputArgument<C> = Partial<InputOf<C>> extends InputOf<C> ? [input?: InputOf<C>] : [input: InputOf<C>]

export type AnswerOf<C> = C extends { readonly answer: infer Answer } ? Answer : never

/** Input of any call. */
export interface AnyInput extends WriteOptions {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** The path with its parameters and query filled in. */
export function targetOf(path: string, { path: parameters = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}
