import type { IncomingMessage, ServerResponse } from 'node:http'
import { SERVICE_ROUTER } from '../api/dispatch.ts'
import { write } from './reply.ts'
import { serve } from '../transport/serve.ts'
import { bodyOf, headOf, type HostParts, misdirected, pathOf, type ServiceRouteParts } from './service-routes.ts'

/**
 * Answers a request to an endpoint of the contract before fastify routes it, with the same bytes as its route. Returns
 * false for every other request and leaves it untouched.
 */
export function fastPath(
  parts: ServiceRouteParts & HostParts,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { dispatcher, connections, arrivals } = parts
  const { url = '/', method = 'GET' } = request
  // Node sends no body in an answer to HEAD.
  const found = SERVICE_ROUTER.find(method === 'HEAD' ? 'GET' : method, pathOf(url))
  if (found === null) return false
  const refusal = misdirected(parts, request, response)
  if (refusal !== null) {
    write(response, refusal)
    return true
  }
  const head = headOf(request, connections)
  const to = {
    write: write.bind(null, response),
    admitted: () => connections.admitted(request.socket),
  }
  arrivals.take(() => serve(dispatcher, found, head, bodyOf(request), to))
  return true
}
