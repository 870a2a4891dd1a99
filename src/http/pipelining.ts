import type { ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Buffers pipelined requests, to work around an error of Node. While responses wait to be read, Node pauses its parser,
 * but TLS still delivers bytes, which fails with `HPE_PAUSED`. An extra `data` listener makes Node read through a
 * stream, which holds the bytes back. It costs time per request, so only connections with a request behind an unwritten
 * response get it, and those that Node has paused.
 */
export function bufferPipelinedRequests(server: HttpsServer): void {
  const last = new WeakMap<Socket, ServerResponse>()
  server.prependListener('request', ({ socket }, response) => {
    const previous = last.get(socket)
    last.set(socket, response)
    // A response gets its socket when its turn comes.
    const isBehindAnother = response.socket === null
    const isPaused = socket.isPaused()
    if (!isPaused && (!isBehindAnother || isWritten(previous))) return
    if (socket.listeners('data').includes(readThroughStream)) return
    socket.on('data', readThroughStream)
    // Node has read past the stream, which therefore would not request bytes when it resumes.
    if (isPaused) socket.push('')
  })
}

/**
 * True if a response was written to its socket completely. Over TLS Node reports `finish` one turn of the event loop
 * later, when the client may already have sent its next request.
 */
function isWritten(response: ServerResponse | undefined): boolean {
  return response !== undefined && response.writableEnded && response.socket !== null
}

function readThroughStream(): void {}
