import type { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusalAnswer } from '../api/answers.ts'
import { type Answer, type Body, BODY_BYTES_MAX, type CallHead, OPEN_BODY_BYTES_MAX } from '../api/call.ts'
import { type Admitted, type Dispatcher, type Found, SERVICE_ROUTES } from '../api/dispatch.ts'
import { type Params, routablePath } from '../api/router.ts'
import { bearer, hasBody, originForm } from '../lib/request-head.ts'
import { refusalBeside } from './beside-service.ts'
import { readBody } from './body.ts'
import type { Connections } from './connections.ts'
import { peerOf, send, sendRaw } from './reply.ts'

const NO_BODY: Body = { kind: 'none' }

/**
 * Every endpoint of the contract as a route, answered past fastify: whoever may not make a request is refused before
 * its body is read. Node discards the body of a refused request as it arrives, so that the next request of the
 * connection can be read. A GET with a body is refused by the pipeline, as over the stream; for that its body is read.
 */
export function serviceRoutes(
  server: FastifyInstance<HttpsServer>,
  dispatcher: Dispatcher,
  connections: Connections,
): void {
  for (const { method, path, target } of SERVICE_ROUTES) {
    server.route({
      // Of an answer to HEAD Node sends no body.
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      url: path,
      onRequest: (request, reply) => {
        if (target === null) {
          sendRaw(reply, notServed(dispatcher, request, connections))
          return
        }
        const params = request.params as Params
        const admitted = admit(dispatcher, { target, params }, request, reply, connections)
        if (admitted) answer(dispatcher, admitted, request, reply)
      },
      handler: unreached,
    })
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendRaw(reply, notServed(dispatcher, request, connections))
    else done()
  })
  server.setErrorHandler((error, request, reply) =>
    send(reply, dispatcher.refused(error, headOf(request, connections))),
  )
}

/** What may go on to its body; null where it was refused, and the refusal sent. */
function admit(
  dispatcher: Dispatcher,
  found: Found,
  request: FastifyRequest,
  reply: FastifyReply,
  connections: Connections,
): Admitted | null {
  const head = headOf(request, connections)
  try {
    const admitted = dispatcher.admit(found, head)
    if (admitted.caller) connections.admitted(request.socket)
    return admitted
  } catch (error) {
    const refusal = dispatcher.refused(error, head, found.target)
    if (isOfACaller(refusal)) connections.admitted(request.socket)
    sendRaw(reply, refusal)
    return null
  }
}

function answer(dispatcher: Dispatcher, admitted: Admitted, { raw }: FastifyRequest, reply: FastifyReply): void {
  if (!hasBody(raw)) return sendWhenThere(reply, dispatcher.perform(admitted, NO_BODY))
  const bytesMax = admitted.caller ? BODY_BYTES_MAX : OPEN_BODY_BYTES_MAX
  readBody(raw.headers, raw, bytesMax, (error, body) =>
    sendWhenThere(
      reply,
      error || !body
        ? dispatcher.refused(error, admitted.head, admitted.found.target)
        : dispatcher.performLater(admitted, body),
    ),
  )
}

function sendWhenThere(reply: FastifyReply, its: Answer | Promise<Answer>): void {
  if (its instanceof Promise) void its.then((each) => sendRaw(reply, each))
  else sendRaw(reply, its)
}

/** Requests of the service are answered before fastify would come to it. */
function unreached(): never {
  throw new Error('A route of the service was reached without admission.')
}

/** Whether a refusal was made after a valid credential was seen: what comes before it has one of these. */
function isOfACaller({ status }: Answer): boolean {
  return ![401, 403, 429].includes(status)
}

/** The address of a request with its path as the router takes it. */
export function routableUrl(request: IncomingMessage): string {
  originForm(request)
  const { url = '/' } = request
  const question = url.indexOf('?')
  return question < 0 ? routablePath(url) : routablePath(url.slice(0, question)) + url.slice(question)
}

/** The answer to a path that leads nowhere. */
export function notServed(dispatcher: Dispatcher, request: FastifyRequest, connections: Connections): Answer {
  const [path = '/'] = (request.raw.url ?? '/').split('?', 1)
  const beside = refusalBeside(path)
  return beside?.open === true
    ? refusalAnswer(beside.refusal)
    : dispatcher.notServed(headOf(request, connections), path, beside?.refusal)
}

function headOf(request: FastifyRequest, connections: Connections): CallHead {
  return {
    method: request.method,
    query: request.raw.url?.includes('?') === true ? (request.query as Record<string, string>) : {},
    token: bearer(request.raw),
    via: connections.viaOf(request.socket),
    peer: peerOf(request),
    idempotencyKey: request.headers['idempotency-key']?.toString(),
    ifNoneMatch: request.headers['if-none-match'],
    acceptEncoding: request.headers['accept-encoding']?.toString(),
  }
}
