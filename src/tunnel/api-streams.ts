import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { WebSocket } from 'ws'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { type Dispatcher, SERVICE_ROUTER, type Served } from '../api/dispatch.ts'
import { refusalBeside } from '../transport/beside-service.ts'
import { readBody } from '../transport/body.ts'
import { FRAME_BYTES_MAX, serve } from '../transport/serve.ts'
import { CLOSE } from '../transport/close-codes.ts'
import { refuseStream, respond, send } from './answering.ts'
import { headOf, type RelayedHead } from './call-head.ts'

const STREAM_PATH = '/v1/stream'

type StreamCaller = Pick<RelayedHead, 'token' | 'peer' | 'via'>

/** The live stream of the gateway. */
export interface StreamEntrance {
  /** @throws Refusal if the caller may not open a socket */
  admit(token: RelayedHead['token'], peer: string, via: RelayedHead['via']): Promise<void> | null
  accept(socket: WebSocket, caller: StreamCaller): void
}

export interface ApiStreamsParts {
  readonly dispatcher: Dispatcher
  readonly stream: StreamEntrance
}

/** Requests to the service that come through a relay: a stream of the tunnel to a call, the answer back to it. */
export class ApiStreams {
  readonly #parts: ApiStreamsParts
  readonly #sockets = new WeakMap<ServerHttp2Stream, WebSocket>()

  constructor(parts: ApiStreamsParts) {
    this.#parts = parts
  }

  /** Answers one request; never throws. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const head = headOf(headers)
    if (head === null) return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (headers[':method'] === 'CONNECT') return this.#connect(stream, headers, head)
    const found = this.#found(head)
    if (found === null) {
      send(stream, this.#notServed(head), head.method !== 'HEAD')
      stream.resume()
      return
    }
    this.#perform(stream, headers, head, found)
  }

  /** A socket is told to connect again, as by a gateway that stops; a request is cut off. */
  end(stream: ServerHttp2Stream): void {
    const socket = this.#sockets.get(stream)
    if (socket) socket.close(CLOSE.goingAway, 'going away')
    else refuseStream(stream, constants.NGHTTP2_CANCEL)
  }

  /** The target of a path; over HTTP it takes HEAD where it takes GET. */
  #found({ method, path }: RelayedHead): Served | null {
    return SERVICE_ROUTER.find(method === 'HEAD' ? 'GET' : method, path)
  }

  #perform(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, head: RelayedHead, found: Served): void {
    const write = (answer: Answer): void => {
      send(stream, answer, head.method !== 'HEAD')
      // The rest of an unread body is discarded.
      stream.resume()
    }
    const body = stream.readableEnded || stream.endAfterHeaders ? null : readBody.bind(null, headers, stream)
    serve(this.#parts.dispatcher, found, head, body, { write })
  }

  /** What is not in the contract: the stream without an upgrade, and paths that lead nowhere. */
  #notServed(head: RelayedHead): Answer {
    const { dispatcher } = this.#parts
    const beside = refusalBeside(head.path)
    if (head.path === STREAM_PATH && ['GET', 'HEAD'].includes(head.method)) return this.#withoutUpgrade(head)
    // The relay serves its own documents; the gateway's are for the home network alone.
    return dispatcher.notServed(head, head.path, beside?.open === true ? undefined : beside?.refusal)
  }

  /** The credential is checked and counted as everywhere; only then is a client told that it should have upgraded. */
  #withoutUpgrade(head: RelayedHead): Answer {
    const { dispatcher } = this.#parts
    try {
      dispatcher.count(dispatcher.identify(head.token, head))
      return refusedWith('upgrade_required')
    } catch (error) {
      return dispatcher.refused(error, head)
    }
  }

  /** The live stream: what follows the answer are the WebSocket's own frames (RFC 8441). */
  #connect(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, { path, token, peer, via }: RelayedHead): void {
    if (headers[':protocol'] !== 'websocket' || path !== STREAM_PATH) return refuseStream(stream)
    this.#admit(stream, { token, peer, via }).catch((error: unknown) =>
      send(stream, this.#parts.dispatcher.refused(error, { method: 'GET', via, token })),
    )
  }

  async #admit(stream: ServerHttp2Stream, caller: StreamCaller): Promise<void> {
    await this.#parts.stream.admit(caller.token, caller.peer, caller.via)
    if (!respond(stream, 200, {})) return
    const socket = webSocketOver(stream)
    this.#sockets.set(stream, socket)
    this.#parts.stream.accept(socket, caller)
  }
}

/** How `ws` makes the socket of an upgrade that it did not carry out itself. */
interface ServerSide {
  setSocket(socket: ServerHttp2Stream, head: Buffer, options: object): void
}

/** A socket of the server's side, as `ws` makes one: without an address. */
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
