import type { IncomingMessage } from 'node:http'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from '../api/dispatch.ts'
import type { Via } from '../auth/credentials/credentials.ts'
import type { RequestCredentials } from '../auth/authenticator.ts'
import type { Connections } from './connections.ts'
import { type ConsoleParts, isReached } from './console-pages.ts'
import { sessionOfUpgrade } from './console-session.ts'
import { peerOf, type Scope, send } from './reply.ts'

/** Live stream of the console: the API's stream with additional topics for administrators. */
export const CONSOLE_STREAM = '/admin/v1/stream'
const STREAM = '/v1/stream'

/** Accepts a person's socket on the live stream. */
export interface PersonStream {
  admit(token: RequestCredentials, peer: string, via: Via): Promise<void> | null
  accept(
    socket: WebSocket,
    caller: { readonly token: RequestCredentials; readonly peer: string; readonly via: Via },
  ): void
}

interface StreamParts {
  readonly console: ConsoleParts
  readonly dispatcher: Dispatcher
  readonly stream: PersonStream
  readonly connections: Connections
  /** Answers a request without an upgrade. */
  readonly otherwise: (request: FastifyRequest, reply: FastifyReply) => void
}

/** True for an upgrade by a signed-in person. All others are answered like an unknown path. */
export function isConsoleUpgrade(request: IncomingMessage, parts: ConsoleParts): boolean {
  return isReached(parts.reach, peerOf(request)) && sessionOfUpgrade(request, parts) !== null
}

export function consoleStream(
  scope: Scope,
  { console, dispatcher, stream, connections, otherwise }: StreamParts,
): void {
  scope.route({
    method: ['GET', 'HEAD'],
    url: STREAM,
    onRequest: async (request, reply) => {
      // Only requests from the home network are upgraded.
      const session = request.ws ? sessionOfUpgrade(request.raw, console) : null
      if (session === null) {
        otherwise(request, reply)
        return reply
      }
      try {
        await stream.admit(session, peerOf(request), 'home')
        connections.admitted(request.socket)
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
