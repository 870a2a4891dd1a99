import { keysOf } from '../lib/keys.ts'
import findMyWay from 'find-my-way'
import type { Endpoint, Method, RefusedCall } from './contract/endpoint.ts'

/** What is served at a method and path: an endpoint by its name, or a call that is always refused. */
export type Target<N extends string = string> = { readonly name: N } | { readonly refused: RefusedCall }

/**
 * One line of the table of routes; `path` is written as find-my-way and fastify read it: `/v1/devices/:id`. `target` is
 * null where nothing is served, but the path (`/v1/scenes/try`) would otherwise be read as one with an id.
 */
export interface Route<T = Target> {
  readonly method: Method
  readonly path: string
  readonly target: T | null
}

export type Params = Readonly<Record<string, string>>

/** What a method and path lead to. */
export interface Found<T> {
  readonly target: T
  readonly params: Params
}

/** An id in a path, decoded: 256 characters hold the longest real one. */
const SEGMENT_LENGTH_MAX = 256

/** How paths are read, over every transport: fastify's router gets the same settings as the one below. */
export const ROUTER_SETTINGS = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  useSemicolonDelimiter: false,
  maxParamLength: SEGMENT_LENGTH_MAX,
} as const

/** A path at which nothing is declared. */
const NOWHERE = '/'

/** Stands for an id that cannot be read: no thing has it, so it is answered like any other that is not there. */
const NO_ID = '-'

/**
 * Paths that the router reads as they are meant; almost all are of this kind, with the colons of ids encoded or not.
 */
const PLAIN_PATH = /^(?:\/(?:[\w.~:-]|%3[Aa]){1,256})+$/

/**
 * A raw path, without the query, as find-my-way takes it. By itself that router refuses a whole path for one unreadable
 * escape, cuts it at a `#`, and takes empty segments and whole addresses for paths. `keepsEmpty`: routes behind a prefix
 * read empty segments.
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

/** Every route of declared endpoints, of their aliases, and of the calls that are always refused. */
export function routesOf<N extends string>(
  endpoints: Readonly<Record<N, Endpoint>>,
  refused: readonly RefusedCall[],
): readonly Route<Target<N>>[] {
  const names = keysOf(endpoints)
  const routes: readonly Route<Target<N>>[] = [
    ...names.flatMap((name) => {
      const { method, path, aliases = [] } = endpoints[name]
      return [method, ...aliases].map((alias) => ({ method: alias, path: pattern(path), target: { name } }))
    }),
    ...refused.map((call) => ({ method: call.method, path: pattern(call.path), target: { refused: call } })),
  ]
  return [...routes, ...mistakable(routes)]
}

/** Methods that a path without ids does not take, though one with an id of the same form does. */
function mistakable(routes: readonly Route<unknown>[]): readonly Route<never>[] {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  const plain = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes(':'))
  return routes.flatMap(({ method, path }) => {
    const form = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
    const alike = plain.filter((plainPath) => form.test(plainPath) && !served.has(`${method} ${plainPath}`))
    return alike.map((plainPath) => ({ method, path: plainPath, target: null }))
  })
}

/** Clients ask for the same few things again and again: where so many paths led is kept, if they are no longer. */
const KNOWN_MAX = 1_000
const KNOWN_LENGTH_MAX = 256

/** Finds what is served at a method and path, for every transport. */
export class Router<T> {
  readonly #tree = findMyWay(ROUTER_SETTINGS)
  readonly #routes: readonly Route<T>[]
  readonly #known = new Map<string, Map<string, Found<T>>>()
  #knownPaths = 0

  /** Throws when a method and path are declared twice. */
  constructor(routes: readonly Route<T>[]) {
    this.#routes = routes
    for (const route of routes) this.#tree.on(route.method, route.path, () => {}, route)
  }

  /**
   * Null where nothing is served. `path` is the raw path without the query; segments are percent-decoded here, once.
   */
  find(method: string, path: string): Found<T> | null {
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
   * The methods for the header `Allow` of a path, in the order of declaration: over HTTP it takes HEAD where it takes
   * GET. An empty list: the path leads nowhere.
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

  #keep(method: string, path: string, found: Found<T>): Found<T> {
    if (path.length > KNOWN_LENGTH_MAX) return found
    if (this.#knownPaths >= KNOWN_MAX) {
      this.#known.clear()
      this.#knownPaths = 0
    }
    const ofMethod = this.#known.get(method) ?? new Map<string, Found<T>>()
    this.#known.set(method, ofMethod.set(path, found))
    this.#knownPaths += 1
    return found
  }

  #find(method: string, routable: string): { readonly route: Route<T>; readonly params: Params } | null {
    const found = this.#tree.find(method as Method, routable)
    return found && { route: found.store as Route<T>, params: found.params as Params }
  }
}

/** A path that holds nothing else: a piece of an address holds all of it in memory, however long its query is. */
function ownText(path: string): string {
  return path.length > KNOWN_LENGTH_MAX ? path : Buffer.from(path).toString()
}

function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
