import type { Server as HttpsServer } from 'node:https'

/**
 * Keeps Node from refusing what a client sent while earlier answers of the connection wait to be read: while it pauses
 * its parser for them, TLS still hands it what has arrived, and it takes that for an error (`HPE_PAUSED`). A listener of
 * its own on the socket makes Node read through a stream, which holds such bytes back; it costs a little time, so only
 * connections with a request behind an unanswered one get it.
 */
export function readPipelined(server: HttpsServer): void {
  server.prependListener('request', ({ socket }, response) => {
    // The socket is given to a response when its turn comes.
    const isBehindAnother = response.socket === null
    if (isBehindAnother && !socket.listeners('data').includes(held)) socket.on('data', held)
  })
}

function held(): void {}
