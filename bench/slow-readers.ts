import { readFileSync } from 'node:fs'
import { AdminSocket } from '../src/cli/commands/context.ts'
import type { Door } from './http-load.ts'
import { startServer } from './processes.ts'
import { report } from './report.ts'
import { openSocket } from './ws-load.ts'

const UNITS = 100
const READERS = 200
export const SLOW_READERS_MIB_MAX = 32
/** Every device changes so often between two looks. */
const ROUNDS = 40

interface Facts {
  readonly port: number
  readonly caFile: string
  readonly token: string
  readonly dataDir: string
}

interface Held {
  readonly residentMiB: number
  /** Events that a newer one took the place of, in all. */
  readonly collapsed: number
}

/** What 200 listeners cost that do not read while everything changes, in MiB of resident memory. */
export async function slowReaders(): Promise<number> {
  const server = await startServer<Facts>('gateway-server.ts', [String(UNITS)])
  const { port, caFile, token, dataDir } = server.facts
  const door: Door = { port, ca: readFileSync(caFile, 'utf8') }
  const sockets = await Promise.all(Array.from({ length: READERS }, () => openSocket(door, '/v1/stream', token)))
  await Promise.all(
    sockets.map((socket) => {
      const answered = new Promise((resolve) => socket.once('message', resolve))
      socket.send(JSON.stringify({ id: '1', subscribe: ['*'] }))
      return answered
    }),
  )
  for (const socket of sockets) socket.pause()
  const admin = new AdminSocket(dataDir)
  const held = async (): Promise<Held> => {
    const { residentMiB } = await server.ask<Pick<Held, 'residentMiB'>>({ heap: true })
    const { streams } = (await admin.exchange('GET', '/admin/v1/status')).body as { streams: { collapsed: number } }
    return { residentMiB, collapsed: streams.collapsed }
  }
  const before = await held()
  let [last, now] = [before, before]
  // Until each change of a round takes the place of an older one, for every listener.
  do {
    last = now
    await server.ask({ rounds: ROUNDS })
    now = await held()
  } while (now.collapsed - last.collapsed < READERS * ROUNDS * (UNITS / 3))
  for (const socket of sockets) socket.terminate()
  await server.stop()
  return now.residentMiB - before.residentMiB
}

export async function benchSlowReaders(): Promise<void> {
  const mebibytes = await slowReaders()
  report({
    work: `${READERS} listeners that do not read`,
    figure: `+${mebibytes.toFixed(1)} MiB`,
    target: `<= +${SLOW_READERS_MIB_MAX} MiB`,
    met: mebibytes <= SLOW_READERS_MIB_MAX,
    detail: `${UNITS} units, of which everything changes`,
  })
}
