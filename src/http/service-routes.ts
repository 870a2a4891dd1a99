import type { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusalAnswer } from '../api/answers.ts'
import { type Answer, type Body, BODY_BYTES_MAX, type CallHead, OPEN_BODY_BYTES_MAX } from '../api/call.ts'
import { type Admitted, type Dispatcher, SERVICE_ROUTES } from '../api/dispatch.ts'
import { type Params, routablePath } from '../api/router.ts'
import { acceptsGzip } from '../lib/gzipped.ts'
import { bearer, originForm } from '../lib/request-head.ts'
import { refusalBeside } from './beside-service.ts'
import { readBody } from './body.ts'
import type { Connections } from './connections.ts'
import { isUnreadableType, peerOf, send, sendRaw } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body of a request to the service is read. */
    admitted: Admitted | null
  }
}

/**
 * Stands for a body whose media type fastify cannot read: the pipeline refuses it with 415, after the refusals that
 * come before.
 */
const BODY_OF_NO_TYPE: Body = { kind: 'bytes', bytes: Buffer.from('?'), mediaType: null, encoded: false }
const NO_BODY: Body = { kind: 'none' }

/**
 * Every endpoint of the contract as a route: whoever may not make a request is refused in `onRequest`, before its body
 * is read. Node discards the body of a refused request as it arrives, so that the next request of the connection can be
 * read.
 */
export function serviceRoutes(
  server: FastifyInstance<HttpsServer>,
  dispatcher: Dispatcher,
  connections: Connections,
): void {
  server.decorateRequest('admitted', null)
  server.removeAllContentTypeParsers()
  // A GET with a body is refused by the pipeline, as over the stream; for that its body has to be read.
  for (const method of ['GET', 'HEAD']) server.addHttpMethod(method, { hasBody: true, overrideExisting: true })
  server.addContentTypeParser('*', ({ admitted, headers }, payload, done) =>
    readBody(headers, payload, admitted?.caller ? BODY_BYTES_MAX : OPEN_BODY_BYTES_MAX, done),
  )

  for (const { method, path, target } of SERVICE_ROUTES) {
    server.route({
      // Of an answer to HEAD Node sends no body.
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      url: path,
      onRequest: (request, reply, done) => {
        if (target === null) {
          sendRaw(reply, notServed(dispatcher, request, connections))
          return
        }
        const head = headOf(request, connections)
        try {
          request.admitted = dispatcher.admit({ target, params: request.params as Params }, head)
          if (request.admitted.caller) connections.admitted(request.socket)
        } catch (error) {
          const answer = dispatcher.refused(error, head, target)
          if (isOfACaller(answer)) connections.admitted(request.socket)
          sendRaw(reply, answer)
          return
        }
        done()
      },
      handler: (request, reply) => perform(dispatcher, request, reply),
    })
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendRaw(reply, notServed(dispatcher, request, connections))
    else done()
  })
  server.setErrorHandler((error, request, reply) => {
    if (!isUnreadableType(error)) return send(reply, dispatcher.refused(error, headOf(request, connections)))
    if (!request.admitted) return sendRaw(reply, notServed(dispatcher, request, connections))
    request.body = BODY_OF_NO_TYPE
    return perform(dispatcher, request, reply)
  })
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

/** Returns the answer's promise, or the reply itself where the answer was there at once. */
function perform(
  dispatcher: Dispatcher,
  { admitted, body }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  if (!admitted) throw new Error('A route of the service was reached without admission.')
  const answer =
    body === undefined ? dispatcher.perform(admitted, NO_BODY) : dispatcher.performLater(admitted, body as Body)
  return answer instanceof Promise ? answer.then((each) => sendRaw(reply, each)) : sendRaw(reply, answer)
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
    acceptsGzip: acceptsGzip(request.headers['accept-encoding']?.toString()),
  }
}
