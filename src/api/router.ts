import { keysOf } from '../lib/keys-of.ts'
import findMyWay from 'find-my-way'
import type { Endpoint, Method, RefusedCall } from './contract/endpoint.ts'

/** Target of a route: an endpoint by name, or a call that is always refused. */
export type RouteTarget<N extends string = string> = { readonly name: N } | { readonly refused: RefusedCall }

/**
 * A route; `path` has the syntax of find-my-way and fastify: `/v1/devices/:id`. `target` is null for paths like
 * `/v1/scenes/try` that would otherwise match a route with an id.
 */
export interface Route<T = RouteTarget> {
  readonly method: Method
  readonly path: string
  readonly target: T | null
}

export type Params = Readonly<Record<string, string>>

/** Result of a look-up. */
export interface RouteMatch<T> {
  readonly target: T
  readonly params: Params
}

/** Longest decoded id in a path; the longest real id is shorter. */
const SEGMENT_LENGTH_MAX = 256

/** Settings for reading paths over every transport; fastify's router gets the same. */
export const ROUTER_SETTINGS = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  useSemicolonDelimiter: false,
  maxParamLength: SEGMENT_LENGTH_MAX,
} as const

/** A path without a route. */
const NOWHERE = '/'

/** Placeholder for an unreadable id. No thing has this id, so it gets the response of an unknown id. */
const NO_ID = '-'

/** Paths that the router reads correctly without preparation: almost all, with plain or encoded colons in ids. */
const PLAIN_PATH = /^(?:\/(?:[\w.~:-]|%3[Aa]){1,256})+$/

/**
 * Prepares a raw path without query for find-my-way. That router refuses a whole path for one unreadable escape, cuts
 * it at a `#`, and accepts empty segments and whole addresses. `keepsEmpty`: routes behind a prefix read empty
 * segments.
 */
export function routablePath(path: string, keepsEmpty = false): string {
  if (PLAIN_PATH.test(path)) return path
  const [beforeFirst, ...segments] = path.split('/')
  if (beforeFirst !== '' || (segments.includes('') && !keepsEmpty)) return NOWHERE
  return `/${segments.map(routableSegment).join('/')}`
}

function routableSegment(segment: string): string {
  if (segment.length > SEGMENT_LENGTH_MAX * 3) return NO_ID
  try {
    if (decodeURIComponent(segment).length > SEGMENT_LENGTH_MAX) return NO_ID
  } catch {
    return NO_ID
  }
  return segment.replaceAll('#', '%23').replaceAll('?', '%3F')
}

/** Routes of all endpoints, their aliases, and the calls that are always refused. */
export function routesOf<N extends string>(
  endpoints: Readonly<Record<N, Endpoint>>,
  refused: readonly RefusedCall[],
): readonly Route<RouteTarget<N>>[] {
  const names = keysOf(endpoints)
  const routes: readonly Route<RouteTarget<N>>[] = [
    ...names.flatMap((name) => {
      const { method, path, aliases = [] } = endpoints[name]
      return [method, ...aliases].map((alias) => ({ method: alias, path: pattern(path), target: { name } }))
    }),
    ...refused.map((call) => ({ method: call.method, path: pattern(call.path), target: { refused: call } })),
  ]
  return [...routes, ...ambiguousRoutes(routes)]
}

/**
 * Routes without a target, for methods that a fixed path does not take although a path with an id of the same form
 * does.
 */
function ambiguousRoutes(routes: readonly Route<unknown>[]): readonly Route<never>[] {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  const plain = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes(':'))
  return routes.flatMap(({ method, path }) => {
    const form = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
    const alike = plain.filter((plainPath) => form.test(plainPath) && !served.has(`${method} ${plainPath}`))
    return alike.map((plainPath) => ({ method, path: plainPath, target: null }))
  })
}

/** Bounds of the look-up cache, because clients repeat the same few paths; longer paths are not cached. */
const KNOWN_MAX = 1_000
const KNOWN_LENGTH_MAX = 256

/** Finds the target of a method and path, for every transport. */
export class Router<T> {
  readonly #tree = findMyWay(ROUTER_SETTINGS)
  readonly #routes: readonly Route<T>[]
  readonly #known = new Map<string, Map<string, RouteMatch<T>>>()
  #knownPaths = 0

  /** Throws when a method and path are declared twice. */
  constructor(routes: readonly Route<T>[]) {
    this.#routes = routes
    for (const route of routes) this.#tree.on(route.method, route.path, () => {}, route)
  }

  /** Null if there is no target. `path` is the raw path without the query; segments are percent-decoded here, once. */
  find(method: string, path: string): RouteMatch<T> | null {
    const known = this.#known.get(method)?.get(path)
    if (known) return known
    const own = ownText(path)
    const found = this.#find(method, routablePath(own))
    const target = found?.route.target ?? null
    if (!found || target === null) return null
    const { params } = found
    return this.#keep(method, own, { target, params })
  }

  /**
   * Methods for the `Allow` header of a path, in the order of declaration. Over HTTP, GET includes HEAD. Empty for an
   * unknown path.
   *
   * @param offers false for a target that the caller can never use
   */
  allowed(path: string, offers: (target: T) => boolean): readonly string[] {
    const routable = routablePath(path)
    return this.#routes
      .filter(({ target }) => target !== null && offers(target))
      .filter((route) => this.#find(route.method, routable)?.route.path === route.path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  }

  #keep(method: string, path: string, found: RouteMatch<T>): RouteMatch<T> {
    if (path.length > KNOWN_LENGTH_MAX) return found
    if (this.#knownPaths >= KNOWN_MAX) {
      this.#known.clear()
      this.#knownPaths = 0
    }
    const ofMethod = this.#known.get(method) ?? new Map<string, RouteMatch<T>>()
    this.#known.set(method, ofMethod.set(path, found))
    this.#knownPaths += 1
    return found
  }

  #find(method: string, routable: string): { readonly route: Route<T>; readonly params: Params } | null {
    const found = this.#tree.find(method as Method, routable)
    return found && { route: found.store as Route<T>, params: found.params as Params }
  }
}

/** Copies a path, because a slice of an address holds the whole address in memory, however long its query is. */
function ownText(path: string): string {
  return path.length > KNOWN_LENGTH_MAX ? path : Buffer.from(path).toString()
}

function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
