import type { Memory } from './collection.ts'
import { startGateway } from './gateway.ts'
import { subscribed } from './load.ts'
import { atMost } from './report.ts'

const UNITS = 100
const READERS = 200
export const SLOW_READERS_MIB_MAX = 32
/** Every device changes so often between two looks. */
const ROUNDS = 40

interface Held {
  readonly residentMiB: number
  /** Events that a newer one took the place of, in all. */
  readonly collapsed: number
}

/** What 200 listeners cost that do not read while everything changes, in MiB of resident memory. */
export async function slowReaders(): Promise<number> {
  await using gateway = await startGateway(UNITS)
  const { door, facts } = gateway
  const sockets = await subscribed(
    door,
    Array.from({ length: READERS }, () => facts.token),
  )
  for (const socket of sockets) socket.pause()
  const held = async (): Promise<Held> => {
    const { residentMiB } = await gateway.ask<Memory>({ heap: true })
    const { streams } = await gateway.administer<{ streams: { collapsed: number } }>('GET', '/status')
    return { residentMiB, collapsed: streams.collapsed }
  }
  const before = await held()
  let [last, now] = [before, before]
  // Until each change of a round takes the place of an older one, for every listener.
  do {
    last = now
    await gateway.ask({ rounds: ROUNDS })
    now = await held()
  } while (now.collapsed - last.collapsed < READERS * ROUNDS * (UNITS / 3))
  for (const socket of sockets) socket.terminate()
  return now.residentMiB - before.residentMiB
}

export async function benchSlowReaders(): Promise<void> {
  const detail = `${UNITS} units, of which everything changes`
  const bound = { most: SLOW_READERS_MIB_MAX, unit: 'MiB', digits: 1, sign: '+', detail } as const
  atMost(`${READERS} listeners that do not read`, await slowReaders(), bound)
}
