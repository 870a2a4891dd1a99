import type { SecureContextOptions } from 'node:tls'
import type { Server as HttpsServer } from 'node:https'
import fastify, { type FastifyInstance } from 'fastify'
import type { Answer } from '../api/call.ts'
import type { Clock } from '../lib/clock.ts'
import { closeAfter, send } from './reply.ts'
import { limitConnections, serverOptions } from './server.ts'

export interface SafeServerParts {
  readonly tls: SecureContextOptions
  readonly clock: Clock
  /** Text of `/v1/about`, the same as outside safe mode. */
  readonly about: string
  readonly caPem: () => string
  /** Response to all other requests. */
  readonly refusal: () => Answer
}

/**
 * The HTTPS server of safe mode, in which a gateway without open stores waits after failed starts. It serves the about
 * text and the CA, and refuses all other requests.
 */
export function createSafeServer({ tls, clock, about, caPem, refusal }: SafeServerParts): FastifyInstance<HttpsServer> {
  const server = fastify(serverOptions(tls, () => false)) as unknown as FastifyInstance<HttpsServer>
  limitConnections(server, clock)
  // Answers before reading a body; a request that may have one closes its connection.
  server.addHook('onRequest', (request, reply) => {
    const path = request.url.split('?', 1)[0]
    const isRead = ['GET', 'HEAD'].includes(request.method)
    if (isRead && path === '/v1/about') reply.type('text/plain; charset=utf-8').send(about)
    else if (isRead && path === '/ca.pem') reply.type('application/x-pem-file').send(caPem())
    else {
      if (!isRead) closeAfter(reply.raw)
      send(reply, refusal())
    }
  })
  return server
}
