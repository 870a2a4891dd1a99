import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { OWN_NAME } from '@hm-gateway/wire/tunnel.ts'
import { CLIENT_HELLO_BYTES_MAX, readFirstBytes } from './client-hello.ts'
import type { Passthrough } from './passthrough.ts'

/** A ClientHello is there within this. */
export const CLIENT_HELLO_MS = 5_000

/**
 * Looks at what each connection asks for before its TLS begins: who names a gateway by the gateway's own name goes on
 * to it, everybody else to this server.
 */
export function byServerName(server: Server, passthrough: Pick<Passthrough, 'take'>, clock: Clock): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // Whoever was one too many.
    if (socket.destroyed) return
    readHello(socket, clock, (bytes, serverName) => {
      const gateway = OWN_NAME.exec(serverName ?? '')?.[1]
      if (gateway !== undefined) return void passthrough.take(socket, gateway, bytes)
      socket.unshift(bytes)
      for (const listener of listeners) listener.call(server, socket)
    })
  })
}

/** Calls back with what was read once it has a whole ClientHello; ends what begins in another way. */
function readHello(socket: Socket, clock: Clock, found: (bytes: Buffer, serverName: string | null) => void): void {
  const chunks: Buffer[] = []
  let [length, needed] = [0, 0]
  const failed = (): void => void socket.destroy()
  const late = clock.after(CLIENT_HELLO_MS, failed)
  const read = (): void => {
    for (let chunk = next(socket); chunk !== null; chunk = next(socket)) {
      chunks.push(chunk)
      length += chunk.length
    }
    if (length < needed || length === 0) return
    const bytes = Buffer.concat(chunks)
    const first = readFirstBytes(bytes)
    if (first.kind === 'no_hello' || length > CLIENT_HELLO_BYTES_MAX) return failed()
    if (first.kind === 'more') {
      needed = first.needed
      return
    }
    done()
    found(bytes, first.serverName)
  }
  const done = (): void => {
    late()
    socket.off('readable', read).off('error', failed).off('end', failed).off('close', done)
  }
  socket.on('error', failed).on('end', failed).on('close', done).on('readable', read)
}

function next(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null
}
