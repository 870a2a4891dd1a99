import type { SeededRandom } from '../../src/sim/seeded-random.ts'
import type { World } from '../world.ts'

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
