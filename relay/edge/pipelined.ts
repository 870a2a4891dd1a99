import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection under way: HTTP/1.1 lets a client send more before it is answered. */
export const REQUESTS_OF_CONNECTION_MAX = 16

/** Knows what each connection has under way, and tells every answer when its client has left. */
export class Pipelined {
  readonly #underWay = new WeakMap<Socket, Set<ServerResponse>>()

  /** Counts a request until its answer, or its client, has left; false where its connection has too many. */
  takes({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const underWay = this.#of(socket)
    const isWithin = underWay.size < REQUESTS_OF_CONNECTION_MAX
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    return isWithin
  }

  #of(socket: Socket): Set<ServerResponse> {
    const known = this.#underWay.get(socket)
    if (known !== undefined) return known
    const underWay = new Set<ServerResponse>()
    this.#underWay.set(socket, underWay)
    socket.once('close', () => closeWaiting(underWay))
    return underWay
  }
}

/** Whether anything of an answer can have reached its client: one whose turn has not come has no socket. */
export function hasBegun({ headersSent, socket, writableFinished }: ServerResponse): boolean {
  return headersSent && (socket !== null || writableFinished)
}

/**
 * Earlier releases of Node 24 tell the end of a connection only to the answer whose turn it is; those behind it would
 * keep their places in the tunnel.
 */
function closeWaiting(underWay: ReadonlySet<ServerResponse>): void {
  for (const response of underWay) {
    if (response.socket !== null) continue
    response.destroy()
    response.emit('close')
  }
}
