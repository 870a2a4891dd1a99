import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { refusalAnswer } from '../api/answers.ts'
import { type Answer, type CallHead, withoutMcpSlash } from '../api/call.ts'
import { type Dispatcher, SERVICE_ROUTES } from '../api/dispatch.ts'
import { type Params, routablePath } from '../api/router.ts'
import type { TurnBatch } from '../lib/turn-batch.ts'
import { bearer, hasBody, originForm } from '../lib/request-head.ts'
import { extraPathRefusal } from '../transport/extra-paths.ts'
import { readBody } from '../transport/body.ts'
import type { Connections } from './connections.ts'
import { hostRefusal, type OwnHosts } from './hosts.ts'
import { closeAfter, peerOf, route, type Scope, send } from './reply.ts'
import { type ReadBody, serve } from '../transport/serve.ts'

export interface ServiceRouteParts {
  readonly dispatcher: Dispatcher
  readonly connections: Connections
  readonly turnBatch: TurnBatch
}

/**
 * Registers every endpoint of the contract as a route. Routes answer in `onRequest`, because fastify would read the
 * body before the caller is admitted. Node discards the body of a refused request, so that the connection can carry the
 * next one.
 */
export function registerServiceRoutes(server: Scope, { dispatcher, connections, turnBatch }: ServiceRouteParts): void {
  for (const { method, path, target } of SERVICE_ROUTES)
    route(server, method === 'GET' ? ['GET', 'HEAD'] : method, path, (request, reply) => {
      const { raw } = request
      if (target === null) return void send(reply, notServed(dispatcher, raw, connections))
      const found = { target, params: request.params as Params }
      const head = headOf(raw, connections)
      const to = {
        write: (answer: Answer) => void send(reply, answer),
        admitted: () => connections.markAdmitted(raw.socket),
        turn: () => turnBatch.turn,
      }
      turnBatch.schedule(() => serve(dispatcher, found, head, bodyOf(raw), to))
    })
}

export interface HostParts extends Pick<ServiceRouteParts, 'dispatcher' | 'connections'> {
  readonly hosts: OwnHosts
}

/** The refusal of a request for another host or from another origin, which it counts; null for a sound request. */
export function countedHostRefusal(
  { dispatcher, connections, hosts }: HostParts,
  request: IncomingMessage,
  response: ServerResponse,
): Answer | null {
  const refused = hostRefusal(hosts, request)
  if (refused === null) return null
  const { code, answer } = refused
  dispatcher.counts.turnedAway(code, { via: connections.viaOf(request.socket) }, answer.status)
  // The rest of a refused request is not read, so its connection must close.
  closeAfter(response)
  return answer
}

/** Reader of a request's body; null if it has none. */
export function bodyOf(request: IncomingMessage): ReadBody | null {
  return hasBody(request) ? readBody.bind(null, request.headers, request) : null
}

/** Paths in which empty segments are significant. */
const READS_EMPTY_SEGMENTS = /^\/(?:console|admin)\//

/** URL of a request with its path in the router's form. */
export function routableUrl(request: IncomingMessage): string {
  originForm(request)
  const { url = '/' } = request
  const path = pathOf(url)
  return routablePath(withoutMcpSlash(path), READS_EMPTY_SEGMENTS.test(path)) + url.slice(path.length)
}

/** Response to an unknown path. The path counts as the client sent it, before rewriting. */
export function notServed(
  dispatcher: Dispatcher,
  request: IncomingMessage & { readonly originalUrl?: string },
  connections: Connections,
): Answer {
  const path = pathOf(request.originalUrl ?? request.url ?? '/')
  const known = extraPathRefusal(path)
  return known?.open === true
    ? refusalAnswer(known.refusal)
    : dispatcher.notServed(headOf(request, connections), path, known?.refusal)
}

/** Head of a request: all data for the pipeline except the body. */
export function headOf(request: IncomingMessage, connections: Connections): CallHead {
  const { method = 'GET', url = '/', headers, socket } = request
  const queryStart = url.indexOf('?')
  return {
    method,
    // A repeated parameter becomes a list, which the pipeline refuses.
    query: queryStart < 0 ? {} : (parse(url.slice(queryStart + 1)) as Record<string, string>),
    token: bearer(request),
    via: connections.viaOf(socket),
    peer: peerOf(request),
    idempotencyKey: headers['idempotency-key']?.toString(),
    ifNoneMatch: headers['if-none-match'],
    acceptEncoding: headers['accept-encoding']?.toString(),
  }
}

/** Path of a URL as it was sent. */
export function pathOf(url: string): string {
  const queryStart = url.indexOf('?')
  return queryStart < 0 ? url : url.slice(0, queryStart)
}
