import type { IncomingMessage, ServerResponse } from 'node:http'
import { SERVICE_ROUTER } from '../api/dispatch.ts'
import { hostRefusal, type OwnHosts } from './hosts.ts'
import { write } from './reply.ts'
import { serve } from '../transport/serve.ts'
import { bodyOf, headOf, pathOf, type ServiceRouteParts } from './service-routes.ts'

/**
 * Answers a request to an endpoint of the contract before fastify routes it, with the bytes of its route. Returns false
 * for every other request and takes nothing of it.
 */
export function fastPath(
  { dispatcher, connections, arrivals, hosts }: ServiceRouteParts & { readonly hosts: OwnHosts },
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { url = '/', method = 'GET' } = request
  // Node sends no body in an answer to HEAD.
  const found = SERVICE_ROUTER.find(method === 'HEAD' ? 'GET' : method, pathOf(url))
  if (found === null || hostRefusal(hosts, request) !== null) return false
  const head = headOf(request, connections)
  const to = {
    write: write.bind(null, response),
    admitted: () => connections.admitted(request.socket),
  }
  arrivals.take(() => serve(dispatcher, found, head, bodyOf(request), to))
  return true
}
