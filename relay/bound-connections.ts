import type { Server, Socket } from 'node:net'
import { networkOf } from '../src/lib/network-of.ts'
import { Counts } from './counts.ts'

/** Ends each connection of an address that is beyond so many, before anything is read of it. */
export function boundConnections(server: Server, max: number): void {
  const open = new Counts()
  server.prependListener('connection', (socket: Socket) => {
    const peer = networkOf(socket.remoteAddress ?? '')
    if (open.of(peer) >= max) socket.destroy()
    else socket.once('close', open.add(peer))
  })
}
