import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, bytesOf } from '../api/call.ts'
import { plainAddress } from '../lib/network-of.ts'

/** Sends a response through fastify, so that its hooks and plugins run. */
export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.status === 413) closeAfter(reply.raw)
  if (answer.status === 426) reply.header('upgrade', 'websocket').header('sec-websocket-version', '13')
  reply.code(answer.status).headers(answer.headers)
  if (answer.body === null) return reply.send()
  reply.header('content-length', bytesOf(answer))
  // Fastify would add a content type to an empty text.
  return reply.send(answer.body === '' ? undefined : answer.body)
}

/** Writes a response without fastify. */
export function write(response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = answer
  if (status === 413) closeAfter(response)
  if (body === null) {
    response.writeHead(status, headers).end()
    return
  }
  const bytes = bytesOf(answer)
  response.writeHead(status, { ...headers, 'content-length': bytes })
  // ASCII text is the same in Latin-1, which is faster to write.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
}

/** Makes this response the last one of its connection. */
export function closeAfter(response: ServerResponse): void {
  response.removeHeader('keep-alive')
  response.setHeader('connection', 'close')
}

/** Address of a request's sender: an IPv4 address as such, even if the socket takes both kinds. */
export function peerOf({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return plainAddress(socket.remoteAddress ?? '')
}

/** A fastify instance or one of its scopes. */
export type Scope = FastifyInstance<HttpsServer>

/**
 * Adds a route that answers in `onRequest`. After that hook fastify would refuse some methods and content types itself,
 * and read the body before the caller is known.
 */
export function route(
  scope: Scope,
  method: string | string[],
  url: string,
  answer: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  scope.route({
    method,
    url,
    // Not calling `done` ends fastify's processing.
    onRequest: (request, reply, _done) => {
      answer(request, reply)
    },
    handler: () => {
      throw new Error('The handler of an already answered route was called.')
    },
  })
}
