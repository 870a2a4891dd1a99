import { createServer, type Server, type Socket } from 'node:net'
import type { SimPort } from './line/sim-port.ts'
import type { SimulatedHouse } from './simulated-house.ts'

/** A client that does not read its bytes is disconnected; a serial line would lose them. */
const UNSENT_BYTES_MAX = 256 * 1024

export interface TcpServing {
  readonly port: number
  close(): Promise<void>
}

/**
 * Connects one TCP client at a time to the house's adapter; a new one replaces it. Port 0 takes a free one. Rejects if
 * the port is taken.
 */
export async function serveTcp(house: SimulatedHouse, port: number, host = '127.0.0.1'): Promise<TcpServing> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    attach(house, socket)
  })
  await listening(server, port, host)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // A listening server may fail to accept one client; it keeps serving the others.
      server.on('error', () => {})
      resolve()
    })
  })
}

function attach(house: SimulatedHouse, socket: Socket): void {
  // `close` follows every error and ends the connection.
  socket.on('error', () => {})
  if (!house.plugged) {
    socket.destroy()
    return
  }
  socket.setNoDelay(true)
  const line: SimPort = house.connect()
  line.onData((bytes) => {
    socket.write(bytes)
    if (socket.writableLength > UNSENT_BYTES_MAX) socket.destroy()
  })
  line.onClose(() => socket.destroy())
  socket.on('data', (bytes) => line.write(bytes))
  socket.on('close', () => line.close())
}
