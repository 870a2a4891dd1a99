import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { World } from '../world/world.ts'
import { OPERATIONS_OF, type DeviceClass } from '../../src/home/model/device.ts'
import type { Caller, Got, Asked, ServiceCall } from '../world/answering.ts'

/** Something that somebody does, or that happens, at one moment. What it is in detail it draws from `chance`. */
export interface ActKind {
  readonly name: string
  /** How often it comes, beside the others. */
  readonly weight: number
  /** Whether it also happens while the gateway is off. */
  readonly always?: true
  /** Whether it is over before time passes on. */
  readonly atOnce?: true
  /** Begins it; what follows is on its way when this returns. */
  readonly run: (world: World, chance: SeededRandom) => void | Promise<void>
}

/** Shorthand for acts that need a running gateway. */
export function act(name: string, weight: number, run: ActKind['run']): ActKind {
  return { name, weight, run }
}

/** One of the items, or undefined where there are none. */
export function pick<T>(chance: SeededRandom, items: readonly T[]): T | undefined {
  return items[chance.whole(0, Math.max(0, items.length - 1))]
}

/** Runs `run` with one of the items; not at all where there are none. */
export function withOne<T>(chance: SeededRandom, items: readonly T[], run: (item: T) => void): void {
  const item = pick(chance, items)
  if (item !== undefined) run(item)
}

interface Target {
  /** A device key: `u11`, `u23:1`. */
  readonly key: string
  readonly class: DeviceClass
}

/** Everything that takes operations. */
export function targets(world: World): Target[] {
  return world.known.units.flatMap((unit): Target[] =>
    unit.class === 'gang_module'
      ? unit.gangs.map((gang) => ({ key: `${unit.id}:${gang.gang}`, class: gang.class }))
      : [{ key: unit.id, class: unit.class }],
  )
}

/** As the integration of the caller names a thing. */
export function idFor(world: World, caller: Caller, local: string): string {
  return `${world.life.files.stores.serial}:${caller.integration}:${local}`
}

/** An operation of the device with fitting arguments; of a sensor one that it has not. */
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

/** Asks over either transport. */
export function ask(
  world: World,
  chance: SeededRandom,
  caller: Caller,
  name: ServiceCall,
  asked: Asked = {},
): Promise<Got> {
  const over = chance.chance(0.3) ? world.answering.say(caller, name, asked) : null
  return over ?? world.answering.ask(caller, name, asked)
}

/** One of those who have a credential, living or not. */
export function withCaller(world: World, chance: SeededRandom, run: (caller: Caller) => void): void {
  withOne(chance, world.answering.callers, run)
}

/** A step of a scene or rule; `local` says how devices are named. */
function step(world: World, chance: SeededRandom, id: (local: string) => string): object {
  if (chance.chance(0.15)) return { delay: chance.pick([1, 5, 90]) }
  const target = chance.chance(0.15) ? { key: 'u12', class: 'lock' as const } : pick(chance, targets(world))
  if (target === undefined || OPERATIONS_OF[target.class].length === 0) return { delay: 1 }
  return { device: id(target.key), ...operation(chance, target) }
}

/** Some of them. */
export function steps(world: World, chance: SeededRandom, id: (local: string) => string): object[] {
  return Array.from({ length: chance.whole(1, 3) }, () => step(world, chance, id))
}
