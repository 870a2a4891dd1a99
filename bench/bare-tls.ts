import { readFileSync } from 'node:fs'
import type { ServerOptions } from 'node:https'

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
