import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { WebSocket } from 'ws'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { type Dispatcher, SERVICE_ROUTER, type Served } from '../api/dispatch.ts'
import { extraPathRefusal } from '../transport/extra-paths.ts'
import { readBody } from '../transport/body.ts'
import type { LiveStream, StreamClient } from '../transport/live-stream.ts'
import { FRAME_BYTES_MAX, serve } from '../transport/serve.ts'
import { CLOSE } from '../transport/close-codes.ts'
import { refuseStream, respond, send } from './stream-responses.ts'
import { headOf, type RelayedHead } from './call-head.ts'

const STREAM_PATH = '/v1/stream'

export interface ApiStreamsParts {
  readonly dispatcher: Dispatcher
  readonly stream: LiveStream
}

/**
 * Serves API requests that come through the relay: turns each stream of the tunnel into a call, and the result into a
 * response.
 */
export class ApiStreams {
  readonly #parts: ApiStreamsParts
  readonly #sockets = new WeakMap<ServerHttp2Stream, WebSocket>()

  constructor(parts: ApiStreamsParts) {
    this.#parts = parts
  }

  /** Answers one request; never throws. */
  handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const head = headOf(headers)
    if (head === null) return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (headers[':method'] === 'CONNECT') return this.#connect(stream, headers, head)
    const route = this.#routeOf(head)
    if (route === null) {
      send(stream, this.#notServed(head), head.method !== 'HEAD')
      stream.resume()
      return
    }
    this.#perform(stream, headers, head, route)
  }

  /** Ends a stream: asks a socket to reconnect, as a stopping gateway does, and cancels a request. */
  end(stream: ServerHttp2Stream): void {
    const socket = this.#sockets.get(stream)
    if (socket) socket.close(CLOSE.goingAway, 'going away')
    else refuseStream(stream, constants.NGHTTP2_CANCEL)
  }

  /** Route of a request; HEAD uses the route of GET. */
  #routeOf({ method, path }: RelayedHead): Served | null {
    return SERVICE_ROUTER.find(method === 'HEAD' ? 'GET' : method, path)
  }

  #perform(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, head: RelayedHead, route: Served): void {
    const write = (answer: Answer): void => {
      send(stream, answer, head.method !== 'HEAD')
      // The rest of an unread body is discarded.
      stream.resume()
    }
    const body = stream.readableEnded || stream.endAfterHeaders ? null : readBody.bind(null, headers, stream)
    serve(this.#parts.dispatcher, route, head, body, { write })
  }

  /** Response to paths outside the contract: the live stream without an upgrade, and unknown paths. */
  #notServed(head: RelayedHead): Answer {
    const { dispatcher } = this.#parts
    const refusal = extraPathRefusal(head.path)
    if (head.path === STREAM_PATH && ['GET', 'HEAD'].includes(head.method)) return this.#withoutUpgrade(head)
    // The relay serves its own documents; the gateway's are only for the home network.
    return dispatcher.notServed(head, head.path, refusal?.open === true ? undefined : refusal?.refusal)
  }

  /** Checks and counts the credential as usual before telling the client to upgrade. */
  #withoutUpgrade(head: RelayedHead): Answer {
    const { dispatcher } = this.#parts
    try {
      dispatcher.count(dispatcher.identify(head.token, head))
      return refusedWith('upgrade_required')
    } catch (error) {
      return dispatcher.refused(error, head)
    }
  }

  /** Opens the live stream; WebSocket frames follow the response headers (RFC 8441). */
  #connect(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, { path, token, peer, via }: RelayedHead): void {
    if (headers[':protocol'] !== 'websocket' || path !== STREAM_PATH) return refuseStream(stream)
    this.#admit(stream, { token, peer, via }).catch((error: unknown) =>
      send(stream, this.#parts.dispatcher.refused(error, { method: 'GET', via, token })),
    )
  }

  async #admit(stream: ServerHttp2Stream, client: StreamClient): Promise<void> {
    await this.#parts.stream.admit(client.token, client.peer, client.via)
    if (!respond(stream, 200, {})) return
    const socket = webSocketOver(stream)
    this.#sockets.set(stream, socket)
    this.#parts.stream.accept(socket, client)
  }
}

/** Method of `ws` that attaches a socket after an upgrade by other code. */
interface ServerSide {
  setSocket(socket: ServerHttp2Stream, head: Buffer, options: object): void
}

/** Constructor of `ws` for a server-side socket, without an address. */
const ServerSocket = WebSocket as unknown as new (
  address: null,
  protocols: undefined,
  options: object,
) => WebSocket & ServerSide

function webSocketOver(stream: ServerHttp2Stream): WebSocket {
  const socket = new ServerSocket(null, undefined, { autoPong: true })
  socket.setSocket(stream, Buffer.alloc(0), {
    allowSynchronousEvents: true,
    maxPayload: FRAME_BYTES_MAX,
    skipUTF8Validation: false,
  })
  return socket
}
