import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Server, ServerOptions } from 'node:https'

/** Calls to a benchmark's process, by name: `{ events: 5 }` calls `events(5)`. */
export type ProcessCalls = Readonly<Record<string, (argument: never) => unknown>>

/**
 * The counterpart of `startServer`. Sends the first facts to the parent process and answers its questions until it
 * disconnects.
 */
export function serve(facts: object, answers: ProcessCalls = {}, stop: () => unknown = () => {}): void {
  const answer = async (question: Readonly<Record<string, never>>): Promise<void> => {
    for (const [name, argument] of Object.entries(question)) process.send?.((await answers[name]?.(argument)) ?? {})
  }
  process.on('message', (question) => void answer(question as Readonly<Record<string, never>>))
  const end = async (): Promise<void> => {
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void end()).on('disconnect', () => void end())
  process.send?.(facts)
}

/** TLS options of a bare server, equal to the gateway's. @param leaf file with certificate and key */
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

export async function serveBare(server: Server, answers?: ProcessCalls): Promise<void> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  serve({ port: (server.address() as AddressInfo).port }, answers)
}
