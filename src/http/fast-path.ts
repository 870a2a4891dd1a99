import type { IncomingMessage, ServerResponse } from 'node:http'
import { SERVICE_ROUTER } from '../api/dispatch.ts'
import { write } from './reply.ts'
import { serve } from '../transport/serve.ts'
import { bodyOf, headOf, type HostParts, countedHostRefusal, pathOf, type ServiceRouteParts } from './service-routes.ts'

/**
 * Answers a request to an endpoint of the contract before fastify routes it, with the same bytes as its route. True if
 * it did; it leaves every other request untouched.
 */
export function answerFast(
  parts: ServiceRouteParts & HostParts,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { dispatcher, connections, turnBatch } = parts
  const { url = '/', method = 'GET' } = request
  // Node sends no body in an answer to HEAD.
  const found = SERVICE_ROUTER.find(method === 'HEAD' ? 'GET' : method, pathOf(url))
  if (found === null) return false
  const refusal = countedHostRefusal(parts, request, response)
  if (refusal !== null) {
    write(response, refusal)
    return true
  }
  const head = headOf(request, connections)
  const to = {
    write: write.bind(null, response),
    admitted: () => connections.markAdmitted(request.socket),
    turn: () => turnBatch.turn,
  }
  turnBatch.schedule(() => serve(dispatcher, found, head, bodyOf(request), to))
  return true
}
