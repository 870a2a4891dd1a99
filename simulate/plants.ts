import type { AccessParts } from '../src/gateway/access.ts'
import type { HomeBus } from '../src/gateway/home.ts'
import type { Stores } from '../src/gateway/stores.ts'
import type { ExposedHouses } from '../src/exposure/exposed-houses.ts'
import type { Clock } from '../src/lib/clock.ts'

/** Where a defect can be planted: parts that are handed in, or taken out and wrapped. */
export interface Plant {
  readonly clock: (clock: Clock) => Clock
  readonly stores: (stores: Stores) => Stores
  readonly access: (access: AccessParts) => AccessParts
  readonly bus: (bus: HomeBus) => HomeBus
  readonly views: (views: ExposedHouses) => ExposedHouses
}

const same = <T>(part: T): T => part

/** No defect. */
export const SOUND: Plant = { clock: same, stores: same, access: same, bus: same, views: same }

/** Defects by name. */
export const PLANTS: ReadonlyMap<string, Plant> = new Map()
