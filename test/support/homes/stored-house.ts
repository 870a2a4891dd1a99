import { CoreDb } from '../../../src/db/core/core-db.ts'
import { SqliteHouse } from '../../../src/db/core/house-store.ts'
import type { HomeEvent } from '../../../src/home/model/events.ts'
import { House } from '../../../src/home/house/house.ts'
import type { HouseContent } from '../../../src/home/ports/house-store.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { Emitter } from '../../../src/lib/emitter.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { homeInfo } from '#support/homes/house-content.ts'

export const SERIAL = 'ab12cd34ef56'

interface HouseAround {
  readonly core?: CoreDb
  readonly events?: Emitter<HomeEvent>
  readonly clock?: Clock
}

/** A new house with this content, over core.db: in memory by default. */
export function storedHouse(content: Partial<HouseContent>, around: HouseAround = {}): House {
  const {
    core = new CoreDb(':memory:'),
    events = new Emitter((error) => {
      throw error
    }),
    clock = new ManualClock(),
  } = around
  const store = new SqliteHouse(core)
  const whole = { info: homeInfo(), floors: [], rooms: [], units: [], scenes: [], groups: [], ...content }
  core.change(() => {
    store.found(SERIAL, whole.info)
    store.replace(whole)
  })
  return new House({ store, work: core, events, clock })
}
