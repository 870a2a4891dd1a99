import type { Clock } from '../lib/clock.ts'
import { Adapter } from './adapter/adapter.ts'
import { newCounters, type Counters } from './adapter/counters.ts'
import type { BootReason } from './adapter/link.ts'
import { Agenda } from './model/agenda.ts'
import type { Touch, TouchKey } from './model/bus-types.ts'
import { PhysicalHouse } from './units/physical-house.ts'
import type { HousePlan, UnitPlan } from './model/house-plan.ts'
import { Life } from './life/life.ts'
import { OneWayLine } from './line/one-way-line.ts'
import { NO_FAULTS, type Direction, type LineFaults } from './line/faults.ts'
import { Connection, type SimPort } from './line/sim-port.ts'
import { SeededRandom } from './model/seeded-random.ts'
import type { Unit } from './units/unit.ts'

/** A clock that runs `speed` times as fast as another one, from the moment it is made. */
export class ScaledClock implements Clock {
  readonly #base: Clock
  readonly #speed: number
  readonly #wallStart: number
  readonly #monoStart: number

  constructor(base: Clock, speed: number) {
    if (!(speed > 0)) throw new RangeError(`speed must be above 0, not ${speed}`)
    this.#base = base
    this.#speed = speed
    this.#wallStart = base.now()
    this.#monoStart = base.monotonic()
  }

  now(): number {
    return this.#wallStart + (this.#base.now() - this.#wallStart) * this.#speed
  }

  monotonic(): number {
    return this.#monoStart + (this.#base.monotonic() - this.#monoStart) * this.#speed
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#base.after(delayMs / this.#speed, run)
  }

  boot(): ReturnType<Clock['boot']> {
    return this.#base.boot()
  }
}

/** Expected reports that stay out this long make a unit lost. */
const LOST_MS = 10 * 60_000
const SIGN_OF_LIFE_MS = { least: 500, most: 3_000 }
/** The share of the time that the adapter may transmit in its band. */
const DUTY = 0.1

export interface SimulatedHouseOptions {
  readonly clock: Clock
  readonly seed: string | number
  readonly plan: HousePlan
  /** How fast the house's own time runs; the line and the radio keep the clock's time. */
  readonly speed?: number
  /** Whether people live in it; without them nothing happens but what tests do. */
  readonly people?: boolean
  /** Share of the time the adapter may transmit. */
  readonly duty?: number
  readonly faults?: Partial<LineFaults>
}

/**
 * A house of simulated units behind a simulated adapter: the other end of the wire, with switches for all that can go
 * wrong.
 */
export class SimulatedHouse {
  readonly house: PhysicalHouse
  readonly counters: Counters = newCounters()
  readonly #agenda: Agenda
  readonly #random: SeededRandom
  readonly #adapter: Adapter
  readonly #lines: Readonly<Record<Direction, OneWayLine>>
  readonly #life: Life | null
  #connection: Connection | null = null
  #plugged = true

  constructor(options: SimulatedHouseOptions) {
    const { clock, seed, plan, speed = 1, people = true, duty = DUTY, faults = {} } = options
    const random = new SeededRandom(seed)
    this.#random = random.fork('faults')
    this.#agenda = new Agenda(clock)
    this.house = new PhysicalHouse({
      plan,
      clock: speed === 1 ? clock : new ScaledClock(clock, speed),
      random,
      followsHostClock: speed === 1,
    })
    this.#lines = {
      in: new OneWayLine({
        agenda: this.#agenda,
        random: random.fork('line/in'),
        deliver: (bytes) => this.#adapter.receive(bytes),
      }),
      out: new OneWayLine({
        agenda: this.#agenda,
        random: random.fork('line/out'),
        deliver: (bytes) => this.#connection?.deliver(bytes),
      }),
    }
    this.#adapter = new Adapter({
      agenda: this.#agenda,
      random: random.fork('adapter'),
      counters: this.counters,
      network: this.house,
      duty,
      send: (bytes) => {
        if (this.#connection !== null) this.#lines.out.push(bytes)
      },
    })
    this.house.onReport((unit, report) => this.#adapter.onUnitReport(unit, report))
    this.#life = people ? new Life(this.house, random.fork('life')) : null
    this.setFaults(faults)
  }

  get plugged(): boolean {
    return this.#plugged
  }

  /** How long ago a unit's last report came to the adapter, in milliseconds; negative while it is on its way. */
  sinceReport(address: number): number {
    return this.#agenda.now() - this.#adapter.radio.reportedAt(address)
  }

  /** Opens the line; a line that was open before is lost. Throws while the adapter is unplugged. */
  connect(): SimPort {
    if (!this.#plugged) throw new Error('the adapter is unplugged')
    this.#connection?.lose()
    this.#clearLine()
    const connection = new Connection(
      (bytes) => this.#lines.in.push(bytes),
      () => {
        if (this.#connection === connection) this.#connection = null
      },
    )
    this.#connection = connection
    return connection
  }

  /** Sets faults of the line, one way or both; what is not named stays as it is. `setFaults(NO_FAULTS)` ends them. */
  setFaults(faults: Partial<LineFaults>, ...directions: readonly Direction[]): void {
    for (const direction of directions.length === 0 ? (['in', 'out'] as const) : directions) {
      const line = this.#lines[direction]
      line.setFaults({ ...line.faults, ...faults })
    }
  }

  clearFaults(): void {
    this.setFaults(NO_FAULTS)
  }

  /** Puts random bytes on the line, once. */
  noise(bytes: number, direction: Direction = 'out'): void {
    this.#lines[direction].noise(bytes)
  }

  /** Makes a unit answer nothing, or lets it answer again. */
  silence(address: number, silent = true): void {
    const unit = this.house.unit(address)
    if (unit === undefined) throw new RangeError(`the simulated house has no unit ${address}`)
    unit.silence(silent)
    if (silent) this.#missLater([address])
    else this.#signOfLife([address])
  }

  /** Cuts the mains of some units, or of all; the adapter has a battery. */
  cutMains(addresses?: readonly number[]): void {
    this.house.cutMains(addresses)
    this.#missLater(addresses ?? this.house.units.map(({ address }) => address))
  }

  returnMains(addresses?: readonly number[]): void {
    this.house.returnMains(addresses)
    this.#signOfLife(addresses ?? this.house.units.map(({ address }) => address))
  }

  /** The adapter stops to acknowledge frames, though it answers them; or does so again. */
  acknowledge(does: boolean): void {
    this.#adapter.acknowledge(does)
  }

  /** The radio says that it cannot send, or can again. */
  radio(up: boolean): void {
    this.#adapter.setRadio(up)
  }

  /** The radio is jammed: no frame arrives, and the adapter reports it. */
  jamRadio(jammed: boolean): void {
    this.#adapter.radio.jammed = jammed
    if (jammed) this.#adapter.report({ kind: 'trouble', trouble: 'jammed' })
  }

  /** The adapter starts anew: sessions and remembered requests are gone. The line stays open. */
  resetAdapter(reason: BootReason = 'watchdog'): void {
    this.#clearLine()
    this.#adapter.reset(reason)
  }

  /** Pulls the adapter out, at once or after so many more bytes towards the host: in the middle of a frame. */
  unplug(afterBytes = 0): void {
    if (afterBytes > 0) return this.#lines.out.cutAfter(afterBytes, () => this.unplug())
    this.#plugged = false
    this.#clearLine()
    const connection = this.#connection
    this.#connection = null
    connection?.lose()
  }

  /** Puts it back; it has been without power. */
  plug(): void {
    if (this.#plugged) return
    this.#plugged = true
    this.#adapter.reset('power_on')
  }

  /** Cuts the line for the host that is connected; the adapter keeps its power. */
  dropLine(): void {
    this.#clearLine()
    const connection = this.#connection
    this.#connection = null
    connection?.lose()
  }

  /** Sends so many reports at once; each repeats the state of a unit. */
  burst(count: number): void {
    const all = this.house.units.flatMap((unit) => unit.states().map(({ gang, state }) => ({ unit, gang, state })))
    for (let index = 0; index < count && all.length > 0; index++) {
      const one = all[this.#random.whole(0, all.length - 1)]
      if (one !== undefined)
        this.#adapter.report({
          kind: 'state_changed',
          address: one.unit.address,
          gang: one.gang,
          trigger: 'command',
          state: one.state,
        })
    }
  }

  /** A unit's membership report, as when it is taken into the network. */
  join(address: number): void {
    const unit = this.house.unit(address)
    if (unit !== undefined)
      this.#adapter.report({ kind: 'unit', change: 'joined', unit: this.#adapter.members.info(unit) })
  }

  /** Puts another unit at an address, or a first one; the adapter tells that it joined. */
  install(plan: UnitPlan): void {
    this.house.install(plan)
    this.join(plan.address)
  }

  /** Puts back a unit that was taken out; the adapter tells that it joined. */
  putBack(unit: Unit): void {
    this.house.putBack(unit)
    this.join(unit.address)
  }

  /** Takes a unit out of the network: the adapter lists it no more. */
  uninstall(address: number): void {
    this.house.uninstall(address)
  }

  /** A finger on a key of a unit, or of one of its gangs. */
  touch(address: number, gang: number | null, key: TouchKey, how: Partial<Omit<Touch, 'key'>> = {}): void {
    this.house.touch(address, gang, key, how)
  }

  /** Somebody moves in a room. */
  motion(room: string): void {
    this.house.motion(room)
  }

  /** Whether a status LED is lit: a unit's, or one gang's. */
  led(address: number, gang: number | null = null): boolean {
    return this.house.unit(address)?.device(gang)?.led?.() ?? false
  }

  /** Stops time, people and the line. */
  stop(): void {
    this.#life?.stop()
    this.house.stop()
    this.#agenda.stop()
    this.#connection?.lose()
    this.#connection = null
  }

  #clearLine(): void {
    this.#lines.in.clear()
    this.#lines.out.clear()
  }

  #missLater(addresses: readonly number[]): void {
    this.#agenda.after(LOST_MS, () => {
      for (const address of addresses)
        if (this.house.unit(address)?.answers === false) this.#adapter.members.lose(address)
    })
  }

  #signOfLife(addresses: readonly number[]): void {
    for (const address of addresses) {
      this.#agenda.after(this.#random.between(SIGN_OF_LIFE_MS.least, SIGN_OF_LIFE_MS.most), () => {
        if (this.house.unit(address)?.answers === true) this.#adapter.members.seen(address)
      })
    }
  }
}
