import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection under way: HTTP/1.1 lets a client send more before it is answered. */
export const REQUESTS_OF_CONNECTION_MAX = 16

/** Counts what each connection has under way. */
export class Pipelined {
  readonly #underWay = new WeakMap<Socket, number>()

  /** Counts a request until its answer has left; false where its connection has too many, and it is not counted. */
  takes({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const underWay = this.#underWay.get(socket) ?? 0
    if (underWay >= REQUESTS_OF_CONNECTION_MAX) return false
    this.#underWay.set(socket, underWay + 1)
    response.once('close', () => this.#underWay.set(socket, (this.#underWay.get(socket) ?? 1) - 1))
    return true
  }
}
