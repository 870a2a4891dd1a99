import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEMO_PLAN } from '../../../src/demo/demo-plan.ts'
import { type InitialState, makePast } from '../../../src/demo/past.ts'
import { type HistoryDb, openHistory } from '../../../src/db/history/history-db.ts'
import type { House } from '../../../src/home/house/house.ts'
import { readHouseFile } from '../../../src/home/house/house-file.ts'
import type { ActivityEntry } from '../../../src/home/model/events.ts'
import { Energy } from '../../../src/home/record/energy.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { SimulatedHouse } from '../../../src/sim/simulated-house.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { smallHouse } from './small-house.ts'

/** End of the generated histories. */
export const NOW = Date.UTC(2027, 3, 10, 9, 30)

const DEMO_HOUSE = join(import.meta.dirname, '../../../src/demo/demo-house.yaml')
const opened: HistoryDb[] = []
/** Runs at the end of a test file. */
export function closePasts(): void {
  for (const past of opened.splice(0)) past.close()
}

const simulated = new SimulatedHouse({ seed: 1, plan: DEMO_PLAN, people: false, clock: new ManualClock(NOW) })
/** Initial state of the simulated house. */
export const beginning: InitialState = ({ unit, gang }) =>
  simulated.house
    .unit(unit.address)
    ?.device(gang?.gang ?? null)
    ?.state()

export interface DemoPast {
  readonly history: HistoryDb
  readonly energy: Energy
  readonly house: Pick<House, 'devices' | 'scenes' | 'info'>
  readonly entries: readonly ActivityEntry[]
}

/** The demo home's initial history for a seed. */
export const demoPast = (seed: string, now = NOW): Promise<DemoPast> =>
  pastOf(readFileSync(DEMO_HOUSE, 'utf8'), seed, now)

/** The initial history of a house file. */
export async function pastOf(houseFile: string, seed: string, now = NOW): Promise<DemoPast> {
  const read = readHouseFile(houseFile, 'UTC')
  if (!read.ok) throw new Error(read.error)
  const { info, units, scenes } = read.value
  const clock = new ManualClock(now)
  const history = openHistory({ file: ':memory:', clock, random: systemRandom, log: silentLog })
  opened.push(history)
  const energy = new Energy({ store: history.energy, clock, log: silentLog, timeZone: info.timeZone, tariffs: null })
  const house = { ...smallHouse(units, scenes), info }
  await makePast(
    {
      house,
      activity: history.activity,
      detections: history.detections,
      readings: history.readings,
      energy,
      clock,
      stopped: () => false,
    },
    seed,
    beginning,
  )
  return { history, energy, house, entries: [...history.activity.iterate(0, 2 ** 41)] }
}
