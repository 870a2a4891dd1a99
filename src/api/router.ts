import { type Endpoint, type Method, type RefusedCall } from './endpoint.ts'

export interface Route<T> {
  readonly target: T
  readonly params: Readonly<Record<string, string>>
}

export type RouteMatch<T> = { readonly found: Route<T> } | { readonly found: null; readonly allow: readonly Method[] }

interface Node<T> {
  readonly literal: Map<string, Node<T>>
  wildcard: { readonly name: string; readonly node: Node<T> } | null
  readonly methods: Map<string, T>
}

/** An id in a path: 256 characters hold the longest real one; more is looked up by nobody. */
const SEGMENT_LENGTH_MAX = 256

/** What stands for an id that cannot be read: no thing has it, so it is answered like any other that is not there. */
const NO_ID = ''

/** Finds the endpoint of a method and path; one for all transports, so that they cannot differ in what they serve. */
export class Router<T> {
  readonly #root: Node<T> = emptyNode()

  add(method: Method, path: string, target: T): void {
    let node = this.#root
    for (const segment of segmentsOf(path)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1]
      node = name === undefined ? literal(node, segment) : wildcard(node, name, path)
    }
    if (node.methods.has(method)) throw new Error(`${method} ${path} is declared twice.`)
    node.methods.set(method, target)
  }

  /** `path` is the raw path without the query; segments are percent-decoded here, once. */
  match(method: string, path: string): RouteMatch<T> {
    let node = this.#root
    const params: Record<string, string> = {}
    for (const raw of segmentsOf(path)) {
      const segment = decode(raw)
      const next = segment === null ? undefined : node.literal.get(segment)
      if (next) {
        node = next
      } else if (node.wildcard && segment !== '') {
        params[node.wildcard.name] = segment ?? NO_ID
        node = node.wildcard.node
      } else {
        return { found: null, allow: [] }
      }
    }
    const target = node.methods.get(method)
    return target === undefined
      ? { found: null, allow: [...node.methods.keys()] as Method[] }
      : { found: { target, params } }
  }
}

/** A router over declared endpoints, their aliases, and the calls that are always refused. */
export function routerOf<N extends string>(
  endpoints: Readonly<Record<N, Endpoint>>,
  refused: readonly RefusedCall[],
): Router<{ readonly name: N } | { readonly refused: RefusedCall }> {
  const router = new Router<{ readonly name: N } | { readonly refused: RefusedCall }>()
  for (const [name, each] of Object.entries<Endpoint>(endpoints)) {
    for (const method of [each.method, ...(each.aliases ?? [])]) router.add(method, each.path, { name: name as N })
  }
  for (const each of refused) router.add(each.method, each.path, { refused: each })
  return router
}

function emptyNode<T>(): Node<T> {
  return { literal: new Map(), wildcard: null, methods: new Map() }
}

function literal<T>(node: Node<T>, segment: string): Node<T> {
  const next = node.literal.get(segment) ?? emptyNode<T>()
  node.literal.set(segment, next)
  return next
}

function wildcard<T>(node: Node<T>, name: string, path: string): Node<T> {
  node.wildcard ??= { name, node: emptyNode<T>() }
  if (node.wildcard.name !== name)
    throw new Error(`${path} names its parameter ${name}, another path ${node.wildcard.name}.`)
  return node.wildcard.node
}

function segmentsOf(path: string): string[] {
  return path.startsWith('/') ? path.slice(1).split('/') : ['']
}

function decode(segment: string): string | null {
  if (segment.length > SEGMENT_LENGTH_MAX * 3) return null
  if (!segment.includes('%')) return segment.length > SEGMENT_LENGTH_MAX ? null : segment
  try {
    const decoded = decodeURIComponent(segment)
    return decoded.length > SEGMENT_LENGTH_MAX ? null : decoded
  } catch {
    return null
  }
}
