import type { PhysicalUnit } from './physical-units.ts'
import type { Tenure } from './tenures.ts'
import type { World } from './world.ts'

/** The gateway has heard of another physical unit by then, and has read it. */
const NOTICED_MS = 15_000

/** The physical units whose values an id may show now. */
export interface Attribution {
  readonly units: readonly PhysicalUnit[]
  /** The tenure before which everything belongs to another unit; null where there was none. */
  readonly boundary: Tenure | null
}

/**
 * Works out which physical units an id of the house may show; undefined where the house has no such unit.
 *
 * @param remembers whether a value stays until a unit that cannot be told from the one before reports another
 */
export function attributionOf(world: World, id: string, remembers: boolean): Attribution | undefined {
  if (world.tenures.current(id) === undefined) return undefined
  const units: PhysicalUnit[] = []
  for (const tenure of world.tenures.of(id)) {
    const { physical, begunBy } = tenure
    if (physical !== null) units.push(physical)
    if (begunBy === 'edit') return { units, boundary: tenure }
    if (isNews(world, tenure)) continue
    if (begunBy === 'unit') return { units, boundary: tenure }
    if (!remembers && physical !== null) return { units, boundary: null }
  }
  return { units, boundary: null }
}

/** True if the gateway may not have heard of a change of units yet. */
function isNews({ now, troubles }: World, { from }: Tenure): boolean {
  return now < Math.max(from, troubles.get('line') ?? 0, troubles.get('down') ?? 0) + NOTICED_MS
}
