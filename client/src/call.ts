import type { Paths } from './contract.ts'

/** The methods of the service, as `call` takes them. */
export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

/** The paths that take a method. */
export type PathOf<M extends Method, Contract = Paths> = {
  [P in keyof Contract]: M extends keyof Contract[P] ? P : never
}[keyof Contract] &
  string

/** What one call takes and answers. */
export type CallOf<M extends Method, P, Contract = Paths> = P extends keyof Contract
  ? M extends keyof Contract[P]
    ? Contract[P][M]
    : never
  : never

/** What a call can be given besides what its path needs. */
export interface CallOptions {
  /** Ends the waiting; what was sent may be carried out all the same. */
  readonly signal?: AbortSignal
}

export interface WriteOptions extends CallOptions {
  /**
   * A name of its own for this change, 1 to 255 printable characters: sent again under the same name it is made once.
   */
  readonly idempotencyKey?: string
}

/** What a call is given: path parameters, query and body as the contract has them. */
export type InputOf<C> = Pick<C, Extract<keyof C, 'path' | 'query' | 'body'>> &
  (C extends { readonly keyed: true } ? WriteOptions : CallOptions)

/** The last argument of `call`, which may be left out where nothing in it is needed. */
export type InputArgument<C> = Partial<InputOf<C>> extends InputOf<C> ? [input?: InputOf<C>] : [input: InputOf<C>]

export type AnswerOf<C> = C extends { readonly answer: infer Answer } ? Answer : never

/** An input as `call` handles it, whatever the call. */
export interface AnyInput extends WriteOptions {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** The path with its parameters and query filled in. */
export function targetOf(path: string, { path: parameters = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return asked.length === 0 ? filled : `${filled}?${asked.join('&')}`
}
