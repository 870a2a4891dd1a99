import type { ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Keeps Node from refusing what a client sent while earlier answers of the connection wait to be read: while it pauses
 * its parser for them, TLS still hands it what has arrived, and it takes that for an error (`HPE_PAUSED`). A listener of
 * its own on the socket makes Node read through a stream, which holds such bytes back; it costs time with each request,
 * so only connections with a request behind an unanswered one get it.
 */
export function readPipelined(server: HttpsServer): void {
  const last = new WeakMap<Socket, ServerResponse>()
  server.prependListener('request', ({ socket }, response) => {
    const before = last.get(socket)
    last.set(socket, response)
    // The socket is given to a response when its turn comes.
    const isBehindAnother = response.socket === null
    if (isBehindAnother && !isWritten(before) && !socket.listeners('data').includes(held)) socket.on('data', held)
  })
}

/**
 * Whether an answer was handed to its socket as a whole. Over TLS Node says a turn of the loop later that it is
 * finished, and a client that read it may have sent its next request by then.
 */
function isWritten(response: ServerResponse | undefined): boolean {
  return response !== undefined && response.writableEnded && response.socket !== null && !response.writableNeedDrain
}

function held(): void {}
