import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { World } from '../world/world.ts'
import { OPERATIONS_OF, type DeviceClass } from '../../src/home/model/device.ts'
import type { SimCaller, RecordedReply, RequestArguments, ServiceCall } from '../world/sim-calls.ts'

/** An event at one moment, caused by a person or by nature. Its details are drawn from `chance`. */
export interface ActKind {
  readonly name: string
  /** Relative frequency among all acts. */
  readonly weight: number
  /** True if it also happens while the gateway is off. */
  readonly always?: true
  /** True if it must finish before time advances. */
  readonly atOnce?: true
  /** Starts the act. Its effects may still be under way when this returns. */
  readonly run: (world: World, chance: SeededRandom) => void | Promise<void>
}

/** An act that needs a running gateway. */
export function act(name: string, weight: number, run: ActKind['run']): ActKind {
  return { name, weight, run }
}

/** Returns a random item, or undefined for an empty list. */
export function pick<T>(chance: SeededRandom, items: readonly T[]): T | undefined {
  return items[chance.whole(0, Math.max(0, items.length - 1))]
}

/** Calls `run` with a random item; does nothing for an empty list. */
export function withOne<T>(chance: SeededRandom, items: readonly T[], run: (item: T) => void): void {
  const item = pick(chance, items)
  if (item !== undefined) run(item)
}

interface Target {
  /** A device key: `u11`, `u23:1`. */
  readonly key: string
  readonly class: DeviceClass
}

/** Devices of the home that accept operations. */
export function targets(world: World): Target[] {
  return world.known.units.flatMap((unit): Target[] =>
    unit.class === 'gang_module'
      ? unit.gangs.map((gang) => ({ key: `${unit.id}:${gang.gang}`, class: gang.class }))
      : [{ key: unit.id, class: unit.class }],
  )
}

/** The id that the caller's integration uses for a thing. */
export function idFor(world: World, caller: SimCaller, local: string): string {
  return `${world.life.files.stores.serial}:${caller.integration}:${local}`
}

/** A random operation of the device with valid arguments. A sensor gets an operation that it does not have. */
export function operation(chance: SeededRandom, { class: its }: Target): { op: string; args?: object } {
  const op = pick(chance, OPERATIONS_OF[its]) ?? 'set_power'
  switch (op) {
    case 'set_power':
      return { op, args: { on: chance.chance(0.5) } }
    case 'set_brightness':
      return { op, args: { bri: chance.whole(0, 100) } }
    case 'set_position':
      return { op, args: { pos: chance.whole(0, 100) } }
    case 'set_mode':
      return { op, args: { mode: chance.pick(['auto', 'eco', 'manual']) } }
    default:
      return { op }
  }
}

/** Sends a request over HTTP or the stream. */
export function ask(
  world: World,
  chance: SeededRandom,
  caller: SimCaller,
  name: ServiceCall,
  args: RequestArguments = {},
): Promise<RecordedReply> {
  const over = chance.chance(0.3) ? world.answering.say(caller, name, args) : null
  return over ?? world.answering.ask(caller, name, args)
}

/** Calls `run` with a random caller, whose credential may have ended. */
export function withCaller(world: World, chance: SeededRandom, run: (caller: SimCaller) => void): void {
  withOne(chance, world.answering.callers, run)
}

/** A random step of a scene or rule; `id` makes a device id from a local one. */
function step(world: World, chance: SeededRandom, id: (local: string) => string): object {
  if (chance.chance(0.15)) return { delay: chance.pick([1, 5, 90]) }
  const target = chance.chance(0.15) ? { key: 'u12', class: 'lock' as const } : pick(chance, targets(world))
  if (target === undefined || OPERATIONS_OF[target.class].length === 0) return { delay: 1 }
  return { device: id(target.key), ...operation(chance, target) }
}

/** One to three random steps. */
export function steps(world: World, chance: SeededRandom, id: (local: string) => string): object[] {
  return Array.from({ length: chance.whole(1, 3) }, () => step(world, chance, id))
}
