import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * From here on services are rare, and below the end a system neither gives a port to whoever listens on any nor lets
 * an outgoing connection begin there (Linux from 32768, others from 49152).
 */
const PORTS = { from: 20_000, to: 32_768 }

const given = new Set<number>()

/**
 * A port for a server that a test starts later, or ends and starts anew: nobody else takes it meanwhile. Of the ports
 * that a system gives, those who look for the ended server would by and by begin a connection at that very port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
