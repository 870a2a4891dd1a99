import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from '../api/dispatch.ts'
import type { LiveStream } from '../transport/live-stream.ts'
import type { Connections } from './connections.ts'
import { type ConsoleParts, isPeerAllowed } from './console-pages.ts'
import { sessionOfUpgrade } from './console-session.ts'
import { peerOf, type Scope, send } from './reply.ts'

/** Live stream of the console: the API's stream with additional topics for administrators. */
export const CONSOLE_STREAM = '/admin/v1/stream'
/** The same path within the scope of `/admin`. */
const PATH_IN_SCOPE = '/v1/stream'

interface StreamParts {
  readonly console: ConsoleParts
  readonly dispatcher: Dispatcher
  readonly stream: LiveStream
  readonly connections: Connections
  /** Answers a request without an upgrade. */
  readonly otherwise: (request: FastifyRequest, reply: FastifyReply) => void
}

/** True for an upgrade by a signed-in person. All other requests are answered like an unknown path. */
export function isConsoleUpgrade(request: IncomingMessage, parts: ConsoleParts): boolean {
  return isPeerAllowed(parts.reach, peerOf(request)) && sessionOfUpgrade(request, parts) !== null
}

/** Adds the route of the console's stream. */
export function registerConsoleStream(
  scope: Scope,
  { console, dispatcher, stream, connections, otherwise }: StreamParts,
): void {
  scope.route({
    method: ['GET', 'HEAD'],
    url: PATH_IN_SCOPE,
    onRequest: async (request, reply) => {
      // Only requests from the home network are upgraded.
      const session = request.ws ? sessionOfUpgrade(request.raw, console) : null
      if (session === null) {
        otherwise(request, reply)
        return reply
      }
      try {
        await stream.admit(session, peerOf(request), 'home')
        connections.markAdmitted(request.socket)
      } catch (error) {
        send(reply, dispatcher.refused(error, { method: request.method, via: 'home', token: session }))
        return reply
      }
    },
    handler: () => {},
    wsHandler: (socket, request) =>
      stream.accept(socket, { token: sessionOfUpgrade(request.raw, console), peer: peerOf(request), via: 'home' }),
  })
}
