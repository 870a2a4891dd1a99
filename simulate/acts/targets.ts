import { OPERATIONS_OF, type DeviceClass } from '../../src/home/model/device.ts'
import type { SeededRandom } from '../../src/sim/seeded-random.ts'
import type { Caller, Got } from '../answering.ts'
import type { Asked, ServiceCall } from '../requests.ts'
import type { World } from '../world.ts'
import { pick, withOne } from './act.ts'

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
export function step(world: World, chance: SeededRandom, id: (local: string) => string): object {
  if (chance.chance(0.15)) return { delay: chance.pick([1, 5, 90]) }
  const target = chance.chance(0.15) ? { key: 'u12', class: 'lock' as const } : pick(chance, targets(world))
  if (target === undefined || OPERATIONS_OF[target.class].length === 0) return { delay: 1 }
  return { device: id(target.key), ...operation(chance, target) }
}

/** Some of them. */
export function steps(world: World, chance: SeededRandom, id: (local: string) => string): object[] {
  return Array.from({ length: chance.whole(1, 3) }, () => step(world, chance, id))
}
