import { createInterface } from 'node:readline'
import type { Clock } from '../lib/clock.ts'
import { runLine } from './console.ts'
import { parseFaults } from './fault-text.ts'
import type { HousePlan } from './house-plan.ts'
import { createSimulatedHouse, type SimulatedHouse } from './simulated-house.ts'
import { serveTcp, type TcpServing } from './tcp-server.ts'

export interface SimulatorOptions {
  readonly clock: Clock
  /** TCP port on the loopback interface; 0 takes a free one. */
  readonly tcp: number
  readonly plan: HousePlan
  readonly seed: string | number
  readonly speed?: number
  /** Faults of the line from the start, as `parseFaults` takes them. */
  readonly faults?: string
  /** Addresses of units that never answer. */
  readonly silent?: readonly number[]
  readonly people?: boolean
  /** Lines that say what is to happen, `help` among them. */
  readonly input?: NodeJS.ReadableStream
  readonly print: (line: string) => void
}

export interface Simulator {
  readonly house: SimulatedHouse
  readonly port: number
  stop(): Promise<void>
}

/**
 * Runs a simulated house as a process of its own that speaks the unit protocol on a TCP port. Rejects where the port
 * cannot be had; throws a RangeError for faults that are not understood.
 */
export async function runSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, seed, speed = 1, people = true, plan, print } = options
  const house = createSimulatedHouse({ clock, seed, speed, people, faults: parseFaults(options.faults ?? ''), plan })
  for (const address of options.silent ?? []) house.silence(address)
  const serving = await serveTcp(house, options.tcp).catch((error: unknown) => {
    house.stop()
    throw error
  })
  print(`A simulated house of ${house.house.units.length} units speaks HMHC on tcp://127.0.0.1:${serving.port}`)
  const lines = listen(house, options)
  return { house, port: serving.port, stop: () => stop(house, serving, lines) }
}

function listen(house: SimulatedHouse, { input, print }: SimulatorOptions): { close(): void } {
  if (input === undefined) return { close: () => {} }
  const lines = createInterface({ input })
  lines.on('line', (line) => {
    const answer = runLine(house, line)
    if (answer !== null) print(answer)
  })
  return lines
}

async function stop(house: SimulatedHouse, serving: TcpServing, lines: { close(): void }): Promise<void> {
  lines.close()
  house.stop()
  await serving.close()
}
