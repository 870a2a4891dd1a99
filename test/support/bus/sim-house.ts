import type { Command, Outcome, Report, State, TouchKey, Touch } from '../../../src/sim/model/bus-types.ts'
import { PhysicalHouse } from '../../../src/sim/units/physical-house.ts'
import type { HousePlan, RoomPlan, UnitPlan } from '../../../src/sim/model/house-plan.ts'
import { SeededRandom } from '../../../src/sim/model/seeded-random.ts'
import type { Unit } from '../../../src/sim/units/unit.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** Noon of a Wednesday in March, in Berlin. */
const NOON = Date.UTC(2027, 2, 3, 11)

export const ROOMS: readonly RoomPlan[] = [
  { id: 'cellar', use: 'utility', daylight: 0 },
  { id: 'parlour', use: 'living', daylight: 0.03 },
  { id: 'yard', use: 'garden', daylight: 1 },
]

export const LAMP = { kind: 'lamp', watts: 40, lux: 200 } as const
export const ON = { op: 'set_power', on: true } as const
export const OFF = { op: 'set_power', on: false } as const

/** An uninhabited house of a few units, under a clock that stands still, with all reports of its units. */
export class SimHouse {
  readonly clock: ManualClock
  readonly house: PhysicalHouse
  readonly reports: Report[] = []

  constructor(units: readonly (Partial<UnitPlan> & Pick<UnitPlan, 'model'>)[], wall = NOON) {
    this.clock = new ManualClock(wall)
    const plan: HousePlan = {
      timeZone: 'Europe/Berlin',
      latitude: 52.5,
      longitude: 13.4,
      rooms: ROOMS,
      people: [],
      units: units.map((unit, index) => ({ address: index + 1, room: 'cellar', ...unit })),
    }
    this.house = new PhysicalHouse({
      plan,
      clock: this.clock,
      random: new SeededRandom('small'),
      followsHostClock: true,
    })
    this.house.onReport((_unit, report) => this.reports.push(report))
  }

  unit(address = 1): Unit {
    const unit = this.house.unit(address)
    if (unit === undefined) throw new Error(`no unit ${address}`)
    return unit
  }

  state(gang: number | null = null, address = 1): State {
    const state = this.unit(address).device(gang)?.state()
    if (state === undefined) throw new Error(`no device ${address}:${gang}`)
    return state
  }

  /** Executes a command; undefined until the unit has confirmed it. */
  command(command: Command, gang: number | null = null, address = 1): Outcome | undefined {
    let outcome: Outcome | undefined
    this.unit(address).execute(gang, command, (its) => {
      outcome = its
    })
    return outcome
  }

  touch(key: TouchKey = 'up', how: Partial<Touch> = {}, gang: number | null = null, address = 1): void {
    this.house.touch(address, gang, key, how)
  }

  /** Writes settings by name. @throws if the unit refuses */
  set(values: Readonly<Record<string, number>>, gang: number | null = null, address = 1): void {
    const settings = this.unit(address).settingsOf(gang)
    const pairs = Object.entries(values).map(([name, value]) => [settings?.numberOf(name) ?? 0, value] as const)
    const refusal = settings?.write(pairs) ?? null
    if (refusal !== null) throw new Error(`${refusal.reason} ${refusal.number}`)
  }

  motion(room = 'cellar'): void {
    this.house.motion(room)
  }

  pass(ms: number): void {
    this.clock.advance(ms)
  }

  /** Returns the state reports since the last call, as `trigger` and state. */
  stateReports(address = 1): { trigger: string; state: State }[] {
    const reported = this.reports.flatMap((report) =>
      report.kind === 'state_changed' && report.address === address
        ? [{ trigger: report.trigger, state: report.state }]
        : [],
    )
    this.reports.length = 0
    return reported
  }
}

const lampHouse =
  (model: 'HMHH' | 'HMHHX1') =>
  (registers: Readonly<Record<string, number>> = {}, mode: UnitPlan['mode'] = 'manual', room = 'cellar'): SimHouse =>
    new SimHouse([{ model, load: LAMP, registers, mode, room }])

/** A house with one lamp on a dimmer. */
export const dimmerHouse = lampHouse('HMHH')
/** A house with one lamp on a switch. */
export const switchHouse = lampHouse('HMHHX1')
