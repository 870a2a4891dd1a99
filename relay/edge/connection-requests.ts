import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Concurrent requests of one connection: HTTP/1.1 clients may send further requests before a response (pipelining).
 */
export const REQUESTS_OF_CONNECTION_MAX = 16

/** Bounds the pipelined requests of a connection, and closes their responses when the client disconnects. */
export class ConnectionRequests {
  readonly #open = new WeakMap<Socket, Set<ServerResponse>>()

  /** Counts a request until its response closes; returns false if its connection has too many. */
  add({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const responses = this.#responsesOf(socket)
    const isWithin = responses.size < REQUESTS_OF_CONNECTION_MAX
    responses.add(response)
    response.once('close', () => responses.delete(response))
    return isWithin
  }

  #responsesOf(socket: Socket): Set<ServerResponse> {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    this.#open.set(socket, responses)
    socket.once('close', () => closeQueued(responses))
    return responses
  }
}

/** True if the client may have received a part of the response. A queued response has no socket yet. */
export function hasBegun({ headersSent, socket, writableFinished }: ServerResponse): boolean {
  return headersSent && (socket !== null || writableFinished)
}

/**
 * Closes the queued responses of a closed connection. Earlier releases of Node 24 close only the current response, so
 * that the streams of the others would stay open in the tunnel.
 */
function closeQueued(responses: ReadonlySet<ServerResponse>): void {
  for (const response of responses) {
    if (response.socket !== null) continue
    response.destroy()
    response.emit('close')
  }
}
