import type { Dispatcher } from '../../src/api/dispatch.ts'
import type { ExposedHouses } from '../../src/exposure/exposed-house.ts'
import type { HomeBus, HomeParts } from '../../src/gateway/home.ts'
import type { Stores } from '../../src/gateway/stores.ts'
import type { OpeningPolicy } from '../../src/home/ports/unit-bus.ts'
import type { Clock } from '../../src/lib/clock.ts'

/** A defect: parts of the gateway that it takes the place of, each made of the sound one. */
export interface Plant {
  readonly clock?: (clock: Clock) => Clock
  readonly stores?: (stores: Stores, clock: Clock) => Stores
  /** What answers requests. */
  readonly dispatcher?: (dispatcher: Dispatcher, stores: Stores) => Dispatcher
  /** Whom rules ask at each step that opens. */
  readonly opening?: (opening: OpeningPolicy) => OpeningPolicy
  readonly bus?: (bus: HomeBus) => HomeBus
  /** The open home, as everything outside it sees it. */
  readonly home?: (home: HomeParts) => HomeParts
  /** What the stream shows. */
  readonly views?: (views: ExposedHouses) => ExposedHouses
}

export const SOUND: Plant = {}
