import { readFileSync } from 'node:fs'
import type { Server, ServerOptions } from 'node:https'

/** How a bare server listens: as the gateway does, with its certificate. @param leaf its file, certificate and key in one. */
export function bareTls(leaf: string): ServerOptions {
  const pem = readFileSync(leaf, 'utf8')
  return {
    key: pem,
    cert: pem,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    ecdhCurve: 'X25519:P-256',
    keepAliveTimeout: 75_000,
  }
}

/** Tells who started this process the port, and ends with it. */
export function serveBare(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
  })
  process.on('SIGTERM', () => process.exit(0)).on('disconnect', () => process.exit(0))
}
