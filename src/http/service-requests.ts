import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { refusalAnswer } from '../api/answers.ts'
import { type Answer, type Body, BODY_BYTES_MAX, type CallHead, OPEN_BODY_BYTES_MAX } from '../api/call.ts'
import { type Admitted, type Dispatcher, SERVICE_ROUTER, type Served } from '../api/dispatch.ts'
import { withoutMcpSlash } from '../api/mcp-call.ts'
import { routablePath } from '../api/router.ts'
import type { Arrivals } from '../lib/arrivals.ts'
import { bearer, hasBody, originForm } from '../lib/request-head.ts'
import { refusalBeside } from './beside-service.ts'
import { readBody } from './body.ts'
import type { Connections } from './connections.ts'
import { peerOf, write } from './reply.ts'

const NO_BODY: Body = { kind: 'none' }

export interface ServiceRequestsParts {
  readonly dispatcher: Dispatcher
  readonly connections: Connections
  readonly arrivals: Arrivals
}

/**
 * Requests to the endpoints of the contract, as they come from Node: the service finds them by the router of all its
 * transports and has no use for what fastify would make of them. Whoever may not make a request is refused before its
 * body is read. Node discards the body of a refused request as it arrives, so that the next request of the connection
 * can be read. A GET with a body is refused by the pipeline, as over the stream; for that its body is read.
 */
export class ServiceRequests {
  readonly #parts: ServiceRequestsParts

  constructor(parts: ServiceRequestsParts) {
    this.#parts = parts
  }

  /** Answers what is one, to a host of the gateway's own; false for every other request, of which nothing was taken. */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '/', method = 'GET' } = request
    // Of an answer to HEAD Node sends no body.
    const found = SERVICE_ROUTER.find(method === 'HEAD' ? 'GET' : method, pathOf(url))
    if (found === null) return false
    const head = headOf(request, this.#parts.connections)
    this.#parts.arrivals.take(() => this.#answer(found, head, request, response))
    return true
  }

  #answer(found: Served, head: CallHead, request: IncomingMessage, response: ServerResponse): void {
    const { dispatcher } = this.#parts
    try {
      const admitted = this.#admit(found, head, request, response)
      if (admitted !== null) this.#perform(admitted, request, response)
    } catch (error) {
      write(response, dispatcher.refused(error, head, found.target))
    }
  }

  /** What may go on to its body; null where it was refused, and the refusal sent. */
  #admit(found: Served, head: CallHead, { socket }: IncomingMessage, response: ServerResponse): Admitted | null {
    const { dispatcher, connections } = this.#parts
    try {
      const admitted = dispatcher.admit(found, head)
      if (admitted.caller) connections.admitted(socket)
      return admitted
    } catch (error) {
      const refusal = dispatcher.refused(error, head, found.target)
      if (isOfACaller(refusal)) connections.admitted(socket)
      write(response, refusal)
      return null
    }
  }

  #perform(admitted: Admitted, request: IncomingMessage, response: ServerResponse): void {
    const { dispatcher } = this.#parts
    if (!hasBody(request)) return writeWhenThere(response, dispatcher.perform(admitted, NO_BODY))
    const bytesMax = admitted.caller ? BODY_BYTES_MAX : OPEN_BODY_BYTES_MAX
    readBody(request.headers, request, bytesMax, (error, body) =>
      writeWhenThere(
        response,
        error || !body
          ? dispatcher.refused(error, admitted.head, admitted.found.target)
          : dispatcher.performLater(admitted, body),
      ),
    )
  }
}

function writeWhenThere(response: ServerResponse, its: Answer | Promise<Answer>): void {
  if (its instanceof Promise) void its.then((each) => write(response, each))
  else write(response, its)
}

/** Whether a refusal was made after a valid credential was seen: what comes before it has one of these. */
function isOfACaller({ status }: Answer): boolean {
  return ![401, 403, 429].includes(status)
}

/** The address of a request with its path as the router takes it. */
export function routableUrl(request: IncomingMessage): string {
  originForm(request)
  const { url = '/' } = request
  const path = pathOf(url)
  return routablePath(withoutMcpSlash(path)) + url.slice(path.length)
}

/** The answer to a path that leads nowhere, which is judged as the client sent it. */
export function notServed(
  dispatcher: Dispatcher,
  request: IncomingMessage & { readonly originalUrl?: string },
  connections: Connections,
): Answer {
  const path = pathOf(request.originalUrl ?? request.url ?? '/')
  const beside = refusalBeside(path)
  return beside?.open === true
    ? refusalAnswer(beside.refusal)
    : dispatcher.notServed(headOf(request, connections), path, beside?.refusal)
}

/** What the pipeline is told of a request before its body. */
export function headOf(request: IncomingMessage, connections: Connections): CallHead {
  const { method = 'GET', url = '/', headers, socket } = request
  const question = url.indexOf('?')
  return {
    method,
    // A name that is given more than once is a list, which the pipeline refuses.
    query: question < 0 ? {} : (parse(url.slice(question + 1)) as Record<string, string>),
    token: bearer(request),
    via: connections.viaOf(socket),
    peer: peerOf(request),
    idempotencyKey: headers['idempotency-key']?.toString(),
    ifNoneMatch: headers['if-none-match'],
    acceptEncoding: headers['accept-encoding']?.toString(),
  }
}

/** The path of an address, as it was sent. */
export function pathOf(url: string): string {
  const question = url.indexOf('?')
  return question < 0 ? url : url.slice(0, question)
}
