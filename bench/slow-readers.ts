import type { Memory } from './collection.ts'
import { startGateway } from './gateway.ts'
import { openSubscribers } from './load.ts'
import { atMost } from './report.ts'

const UNITS = 100
const READERS = 200
export const SLOW_READERS_MIB_MAX = 32
/** Changes of every device between two checks. */
const ROUNDS = 40

interface Held {
  readonly residentMiB: number
  /** Total number of events that a newer one replaced. */
  readonly collapsed: number
}

/** Resident memory in MiB for 200 listeners that read nothing while everything changes. */
export async function slowReaders(): Promise<number> {
  await using gateway = await startGateway(UNITS)
  const { address, facts } = gateway
  const sockets = await openSubscribers(
    address,
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
  // Repeats until every change of a round replaces an older one for every listener.
  do {
    last = now
    await gateway.ask({ rounds: ROUNDS })
    now = await held()
  } while (now.collapsed - last.collapsed < READERS * ROUNDS * (UNITS / 3))
  for (const socket of sockets) socket.terminate()
  return now.residentMiB - before.residentMiB
}

export async function benchSlowReaders(): Promise<void> {
  const detail = `${UNITS} units that all change`
  const bound = { most: SLOW_READERS_MIB_MAX, unit: 'MiB', digits: 1, sign: '+', detail } as const
  atMost(`${READERS} listeners that do not read`, await slowReaders(), bound)
}
