import { BOOT_REASONS } from './adapter/link.ts'
import { DETECTIONS, TOUCH_KEYS } from './model/bus-types.ts'
import { parseFaults, type Direction } from './line/faults.ts'
import { SimulatedHouse } from './simulated-house.ts'
import { createInterface } from 'node:readline'
import type { Clock } from '../lib/clock.ts'
import type { HousePlan } from './model/house-plan.ts'
import { serveTcp, type TcpServing } from './tcp-server.ts'

interface Verb {
  readonly usage: string
  readonly meaning: string
  /** Returns the text to print, if any. @throws RangeError for unknown arguments */
  run(sim: SimulatedHouse, words: readonly string[]): string | void
}

/** The commands of a running simulator, one per line. docs/simulator.md lists the same. */
export const VERBS: Readonly<Record<string, Verb>> = {
  faults: {
    usage: 'faults NAME=VALUE,… [in|out]',
    meaning: 'set faults of the line, one way or both',
    run: (sim, [text = '', ...ways]) => sim.setFaults(parseFaults(text), ...ways.map(directionOf)),
  },
  clear: { usage: 'clear', meaning: 'end all faults of the line', run: (sim) => sim.clearFaults() },
  noise: {
    usage: 'noise BYTES [in|out]',
    meaning: 'send random bytes once',
    run: (sim, [bytes, way = 'out']) => sim.noise(whole(bytes, 'bytes', 1, 1_000_000), directionOf(way)),
  },
  burst: {
    usage: 'burst COUNT',
    meaning: 'send this many reports at once',
    run: (sim, [count]) => sim.burst(whole(count, 'count', 1, 100_000)),
  },
  silent: {
    usage: 'silent ADDRESS [off]',
    meaning: 'silence a unit, or let it answer again',
    run: (sim, [address, off]) => sim.silence(addressOf(address), isOn(off)),
  },
  jam: {
    usage: 'jam ADDRESS [off]',
    meaning: 'block a lock, shutter, curtain or gate',
    run: (sim, [address, off]) => sim.house.jam(addressOf(address), isOn(off)),
  },
  acks: {
    usage: 'acks off|on',
    meaning: 'stop or resume acknowledging frames',
    run: (sim, [how = '']) => sim.acknowledge(oneOf(['on', 'off'], how) === 'on'),
  },
  radio: {
    usage: 'radio up|down|jammed|clear',
    meaning: 'stop, resume, jam or clear the radio',
    run: (sim, [how]) => radio(sim, how),
  },
  mains: {
    usage: 'mains cut|return [ADDRESS …]',
    meaning: 'cut or restore the mains of some units, or of the house',
    run: (sim, [how, ...addresses]) => mains(sim, how, addresses.length === 0 ? undefined : addresses.map(addressOf)),
  },
  reset: {
    usage: `reset [${BOOT_REASONS.join('|')}]`,
    meaning: 'restart the adapter',
    run: (sim, [reason = 'watchdog']) => sim.resetAdapter(oneOf(BOOT_REASONS, reason)),
  },
  unplug: {
    usage: 'unplug [BYTES]',
    meaning: 'unplug the adapter, now or after this many bytes to the host',
    run: (sim, [bytes = '0']) => sim.unplug(whole(bytes, 'bytes', 0, 1_000_000)),
  },
  plug: { usage: 'plug', meaning: 'plug the adapter in again', run: (sim) => sim.plug() },
  drop: { usage: 'drop', meaning: "cut the client's line", run: (sim) => sim.dropLine() },
  touch: {
    usage: 'touch ADDRESS[:GANG] [up|down|mode|side_left|side_right] [HELD_MS]',
    meaning: 'touch a key',
    run: (sim, [device = '', key = 'up', heldMs = '300']) => {
      const [address, gang] = device.split(':')
      sim.touch(addressOf(address), gang === undefined ? null : whole(gang, 'gang', 0, 7), oneOf(TOUCH_KEYS, key), {
        heldMs: whole(heldMs, 'held', 0, 600_000),
      })
    },
  },
  motion: { usage: 'motion ROOM', meaning: 'move in a room', run: (sim, [room = '']) => sim.motion(room) },
  door: {
    usage: 'door ADDRESS open|closed',
    meaning: 'open or close a door contact',
    run: (sim, [address, how = 'open']) =>
      sim.house.door(addressOf(address), oneOf(['open', 'closed'], how) === 'open'),
  },
  detect: {
    usage: `detect ADDRESS ${DETECTIONS.join('|')} [on|off]`,
    meaning: 'begin or end a detection',
    run: (sim, [address, kind = '', how]) => sim.house.detect(addressOf(address), oneOf(DETECTIONS, kind), isOn(how)),
  },
  heat: {
    usage: 'heat ADDRESS CELSIUS',
    meaning: 'set the temperature inside a unit',
    run: (sim, [address, celsius]) => sim.house.heatInside(addressOf(address), whole(celsius, 'celsius', -50, 200)),
  },
  start: {
    usage: 'start ADDRESS',
    meaning: 'start the programme of an appliance',
    run: (sim, [address]) => sim.house.startAppliance(addressOf(address)),
  },
  show: {
    usage: 'show ADDRESS',
    meaning: 'show a unit and its states',
    run: (sim, [address]) => show(sim, addressOf(address)),
  },
  counters: { usage: 'counters', meaning: 'show all counters', run: (sim) => JSON.stringify(countersOf(sim)) },
  help: {
    usage: 'help',
    meaning: 'show this list',
    run: () =>
      Object.values(VERBS)
        .map(({ usage, meaning }) => `${usage.padEnd(72)} ${meaning}`)
        .join('\n'),
  },
}

/** Executes one line; returns the text to print, or null. Never throws: an unknown line returns the reason. */
export function runLine(sim: SimulatedHouse, line: string): string | null {
  const [name = '', ...words] = line.trim().split(/\s+/)
  if (name === '') return null
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (verb === undefined) return `There is no ${name}; "help" lists all commands.`
  try {
    return verb.run(sim, words) ?? null
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return `${error.message} (${verb.usage})`
  }
}

function radio(sim: SimulatedHouse, how = ''): void {
  const what = oneOf(['up', 'down', 'jammed', 'clear'], how)
  if (what === 'up' || what === 'down') sim.radio(what === 'up')
  else sim.jamRadio(what === 'jammed')
}

function mains(sim: SimulatedHouse, how = '', addresses?: readonly number[]): void {
  if (oneOf(['cut', 'return'], how) === 'cut') sim.cutMains(addresses)
  else sim.returnMains(addresses)
}

function show(sim: SimulatedHouse, address: number): string {
  const unit = sim.house.unit(address)
  if (unit === undefined) throw new RangeError(`The house has no unit ${address}.`)
  return JSON.stringify({ ...unit.info, answers: unit.answers, states: unit.states() })
}

function countersOf({ counters }: SimulatedHouse): object {
  return { ...counters, units: Object.fromEntries(counters.units) }
}

function oneOf<T extends string>(choices: readonly T[], word: string): T {
  const found = choices.find((choice) => choice === word)
  if (found === undefined) throw new RangeError(`"${word}" is none of ${choices.join(', ')}.`)
  return found
}

const directionOf = (word: string): Direction => oneOf(['in', 'out'], word)
const isOn = (word: string | undefined): boolean => word === undefined || oneOf(['on', 'off'], word) === 'on'
const addressOf = (word: string | undefined): number => whole(word, 'address', 1, 65_279)

function whole(word: string | undefined, what: string, low: number, high: number): number {
  const value = Number(word)
  if (word === undefined || word === '' || !Number.isInteger(value) || value < low || value > high)
    throw new RangeError(`The ${what} is a whole number from ${low} to ${high}.`)
  return value
}

interface SimulatorOptions {
  readonly clock: Clock
  /** TCP port on the loopback interface; 0 takes a free one. */
  readonly tcp: number
  readonly plan: HousePlan
  readonly seed: string | number
  readonly speed?: number
  /** Initial faults of the line, in the format of `parseFaults`. */
  readonly faults?: string
  /** Addresses of units that never answer. */
  readonly silent?: readonly number[]
  readonly people?: boolean
  /** Command lines, such as `help`. */
  readonly input?: NodeJS.ReadableStream
  readonly print: (line: string) => void
}

interface Simulator {
  readonly house: SimulatedHouse
  readonly port: number
  stop(): Promise<void>
}

/**
 * Runs a simulated house as a process that speaks the unit protocol on a TCP port. Rejects if the port is taken.
 * @throws RangeError for unknown faults
 */
export async function runSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, seed, speed = 1, people = true, plan, print } = options
  const house = new SimulatedHouse({ clock, seed, speed, people, faults: parseFaults(options.faults ?? ''), plan })
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
