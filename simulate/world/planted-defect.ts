import type { Dispatcher } from '../../src/api/dispatch.ts'
import type { ExposedHouses } from '../../src/exposure/exposed-houses.ts'
import type { HomeBus, HomeParts } from '../../src/gateway/home.ts'
import type { Stores } from '../../src/gateway/stores.ts'
import type { OpeningPolicy } from '../../src/home/ports/unit-bus.ts'
import type { Clock } from '../../src/lib/clock.ts'

/** A defect: replacements for parts of the gateway, each made from the sound part. */
export interface PlantedDefect {
  readonly clock?: (clock: Clock) => Clock
  readonly stores?: (stores: Stores, clock: Clock) => Stores
  readonly dispatcher?: (dispatcher: Dispatcher, stores: Stores) => Dispatcher
  /** Permission check of rules at each opening step. */
  readonly opening?: (opening: OpeningPolicy) => OpeningPolicy
  readonly bus?: (bus: HomeBus) => HomeBus
  /** The open home, for all parts outside it. */
  readonly home?: (home: HomeParts) => HomeParts
  /** Views of the stream. */
  readonly views?: (views: ExposedHouses) => ExposedHouses
}

export const NO_DEFECT: PlantedDefect = {}
