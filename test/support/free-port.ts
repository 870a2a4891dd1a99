import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * From 20,000 services are rare. Below 32,768 no system assigns ephemeral ports (Linux from 32,768, others from
 * 49,152).
 */
const PORTS = { from: 20_000, to: 32_768 }

const usedPorts = new Set<number>()

/**
 * A port for a server that a test starts later or restarts; no other test gets it. An ephemeral port would not do: a
 * client that looks for the stopped server might connect from that very port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (usedPorts.has(port) || !(await isFree(port))) continue
    usedPorts.add(port)
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
