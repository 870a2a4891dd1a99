import { once } from 'node:events'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openTls } from '../../src/tls/tls.ts'
import type { GatewayTls } from '../../src/tls/tls.ts'
import { tempFolder } from '#support/temp-folder.ts'

export const HOST = 'hm-ab12.local'

interface Gateway {
  tls: GatewayTls
  server: Server
  port: number
  dir: string
  addresses: string[]
}

/** An HTTPS server as the gateway starts it. */
export async function tlsGateway(): Promise<Gateway> {
  const dir = join(tempFolder(), 'tls')
  const addresses = ['192.168.1.20', 'fd00::2']
  const tls = await openTls({
    dir,
    serial: 'AB12',
    addresses: () => addresses,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const server = createServer(tls.secureContextOptions(), (_request, response) => response.end('served'))
  tls.attach(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    await tls.stop()
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { tls, server, port: address.port, dir, addresses }
}

export async function handshake(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: HOST, ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** The error code with which a handshake fails. */
export async function refusedWith(port: number, options: ConnectionOptions): Promise<unknown> {
  const error: unknown = await handshake(port, options).then(
    (socket) => {
      socket.destroy()
      return null
    },
    (reason: unknown) => reason,
  )
  return error instanceof Error && 'code' in error ? error.code : error
}
