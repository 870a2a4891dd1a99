import { once } from 'node:events'
import { createServer } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { trusting } from '#support/gateway/callers.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { systemRandom } from '../lib/random.ts'
import { openTls } from '../tls/tls.ts'
import { bufferPipelinedRequests } from './pipelining.ts'

/** More bytes than the system buffers for an unread connection. */
const LONG = Buffer.alloc(32 * 1024 * 1024)

/** A connection to a server of long and short answers. `send` resolves once the server has the requests. */
async function connected() {
  const parts = { clock: systemClock, random: systemRandom, log: silentLog }
  const tls = await openTls({ ...parts, dir: join(tempFolder(), 'tls'), serial: 'ab12', addresses: () => [] })
  const server = createServer(tls.secureContextOptions(), ({ url }, response) => {
    response.end(url === '/long' ? LONG : 'short')
  })
  bufferPipelinedRequests(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const socket = connect({ ...trusting(tls.ca.pem), host: '127.0.0.1', port: address.port, servername: 'localhost' })
  // The missing response shows that the server closed its end.
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  onTestFinished(async () => {
    socket.destroy()
    server.close()
    server.closeAllConnections()
    await tls.stop()
  })
  const send = async (...paths: readonly string[]): Promise<void> => {
    const all = Promise.withResolvers<void>()
    let received = 0
    const count = (): void => {
      received += 1
      if (received === paths.length) all.resolve()
    }
    server.on('request', count)
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
    await all.promise
    server.off('request', count)
  }
  return { socket, send }
}

/** Resolves to the first lines of so many answers. */
async function answers(socket: TLSSocket, count: number): Promise<readonly string[]> {
  const found: string[] = []
  let rest = ''
  const hear = (chunk: Buffer): void => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = lines.pop()?.slice(-'HTTP/1.1 200 OK'.length) ?? ''
    found.push(...lines.flatMap((line) => /HTTP\/1\.1 .*$/.exec(line) ?? []))
  }
  socket.on('data', hear).resume()
  while (found.length < count && !socket.destroyed) await once(socket, 'data')
  socket.off('data', hear).pause()
  return found
}

proves(
  'limits.pipelining',
  'a connection that Node paused continues once its client has read',
  { tags: ['long'] },
  async () => {
    const { socket, send } = await connected()
    await send('/long')
    await send('/short', '/short')
    expect(await answers(socket, 3)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'])
    await send('/short')
    expect(await answers(socket, 1)).toEqual(['HTTP/1.1 200 OK'])
  },
)
