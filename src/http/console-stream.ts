import type { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import type { Dispatcher } from '../api/dispatch.ts'
import type { Via } from '../auth/credentials/credentials.ts'
import type { Presented } from '../auth/authenticator.ts'
import type { Connections } from './connections.ts'
import { type ConsoleParts, isReached } from './console-route.ts'
import { sessionOfUpgrade } from './console-session.ts'
import { peerOf, send, sendRaw } from './reply.ts'
import { notServed } from './service-requests.ts'

/** The live stream of people: that of the service, with topics for administrators beside. */
export const CONSOLE_STREAM = '/admin/v1/stream'

interface StreamParts {
  readonly console: ConsoleParts
  readonly dispatcher: Dispatcher
  readonly stream: {
    admit(token: Presented, peer: string, via: Via): Promise<void> | null
    accept(socket: WebSocket, caller: { readonly token: Presented; readonly peer: string; readonly via: Via }): void
  }
  readonly connections: Connections
}

/** Whether an upgrade is a signed-in person's; any other is a request like one to an invented path. */
export function isConsoleUpgrade(request: IncomingMessage, parts: ConsoleParts): boolean {
  return isReached(parts.reach, peerOf(request)) && sessionOfUpgrade(request, parts) !== null
}

export function consoleStream(
  server: FastifyInstance<HttpsServer>,
  { console, dispatcher, stream, connections }: StreamParts,
): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: CONSOLE_STREAM,
    onRequest: async (request, reply) => {
      // Only what comes from the home itself was upgraded.
      const session = request.ws ? sessionOfUpgrade(request.raw, console) : null
      if (session === null) {
        sendRaw(reply, notServed(dispatcher, request.raw, connections))
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
    handler: (request, reply) => sendRaw(reply, notServed(dispatcher, request.raw, connections)),
    wsHandler: (socket, request) =>
      stream.accept(socket, { token: sessionOfUpgrade(request.raw, console), peer: peerOf(request), via: 'home' }),
  })
}
