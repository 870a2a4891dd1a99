import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { OWN_NAME } from '@hm-gateway/wire/tunnel.ts'
import { CLIENT_HELLO_BYTES_MAX, readFirstBytes } from './client-hello.ts'
import type { Passthrough } from './passthrough.ts'

/** Timeout of the ClientHello. */
export const CLIENT_HELLO_TIMEOUT_MS = 5_000

/** Reads the server name of each connection. A gateway's name leads to that gateway, any other to this server. */
export function routeByServerName(server: Server, passthrough: Pick<Passthrough, 'accept'>, clock: Clock): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // The limit of connections has already closed it.
    if (socket.destroyed) return
    readHello(socket, clock, (bytes, serverName) => {
      const gateway = OWN_NAME.exec(serverName ?? '')?.[1]
      if (gateway !== undefined) return void passthrough.accept(socket, gateway, bytes)
      socket.unshift(bytes)
      for (const listener of listeners) listener.call(server, socket)
    })
  })
}

/** Calls back with all bytes read once the ClientHello is complete; closes a connection that begins otherwise. */
function readHello(socket: Socket, clock: Clock, onHello: (bytes: Buffer, serverName: string | null) => void): void {
  const chunks: Buffer[] = []
  let [length, needed] = [0, 0]
  const fail = (): void => void socket.destroy()
  const cancelTimeout = clock.after(CLIENT_HELLO_TIMEOUT_MS, fail)
  const read = (): void => {
    for (let chunk = next(socket); chunk !== null; chunk = next(socket)) {
      chunks.push(chunk)
      length += chunk.length
    }
    if (length < needed || length === 0) return
    const bytes = Buffer.concat(chunks)
    const first = readFirstBytes(bytes)
    if (first.kind === 'no_hello' || length > CLIENT_HELLO_BYTES_MAX) return fail()
    if (first.kind === 'more') {
      needed = first.needed
      return
    }
    stop()
    onHello(bytes, first.serverName)
  }
  const stop = (): void => {
    cancelTimeout()
    socket.off('readable', read).off('error', fail).off('end', fail).off('close', stop)
  }
  socket.on('error', fail).on('end', fail).on('close', stop).on('readable', read)
}

function next(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null
}
