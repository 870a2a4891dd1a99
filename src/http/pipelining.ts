import type { ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Keeps Node from refusing what a client sent while earlier answers of the connection wait to be read: while it pauses
 * its parser for them, TLS still hands it what has arrived, and it takes that for an error (`HPE_PAUSED`). A listener of
 * its own on the socket makes Node read through a stream, which holds such bytes back; it costs time with each request,
 * so only connections get it that have a request behind one that is not written yet, or that Node has paused.
 */
export function readPipelined(server: HttpsServer): void {
  const last = new WeakMap<Socket, ServerResponse>()
  server.prependListener('request', ({ socket }, response) => {
    const before = last.get(socket)
    last.set(socket, response)
    // The socket is given to a response when its turn comes.
    const isBehindAnother = response.socket === null
    const isPaused = socket.isPaused()
    if (!isPaused && (!isBehindAnother || isWritten(before))) return
    if (socket.listeners('data').includes(held)) return
    socket.on('data', held)
    // The stream has waited for bytes since Node began to read past it, and would not ask for them when it goes on.
    if (isPaused) socket.push('')
  })
}

/**
 * Whether an answer was handed to its socket as a whole: over TLS Node says a turn of the loop later that it is
 * finished, and a client that read it may have sent its next request by then.
 */
function isWritten(response: ServerResponse | undefined): boolean {
  return response !== undefined && response.writableEnded && response.socket !== null
}

function held(): void {}
