import type { Clock } from '../lib/clock.ts'
import { Adapter } from './adapter/adapter.ts'
import { newCounters, type Counters } from './adapter/counters.ts'
import type { BootReason, ProtocolVersion } from './adapter/link.ts'
import { Agenda } from './model/agenda.ts'
import type { Touch, TouchKey } from './model/bus-types.ts'
import { PhysicalHouse } from './units/physical-house.ts'
import type { HousePlan, UnitPlan } from './model/house-plan.ts'
import { Life } from './life/life.ts'
import { OneWayLine } from './line/one-way-line.ts'
import { NO_FAULTS, type Direction, type LineFaults } from './line/faults.ts'
import { SimConnection, type SimPort } from './line/sim-port.ts'
import { SeededRandom } from './model/seeded-random.ts'
import type { Unit } from './units/unit.ts'

/** A clock that runs `speed` times as fast as another one from its creation on. */
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

/** A unit whose expected reports are missing for this long is lost. */
const LOST_MS = 10 * 60_000
const SIGN_OF_LIFE_MS = { least: 500, most: 3_000 }
/** Share of time in which the adapter may transmit in its band. */
const DUTY = 0.1

export interface SimulatedHouseOptions {
  readonly clock: Clock
  readonly seed: string | number
  readonly plan: HousePlan
  /** Speed of the house's own time; the line and the radio keep the clock's time. */
  readonly speed?: number
  /** True if people live in it; otherwise only tests cause events. */
  readonly people?: boolean
  /** Share of time in which the adapter may transmit. */
  readonly duty?: number
  readonly faults?: Partial<LineFaults>
  /** Version byte of the protocol that the adapter speaks: 1 is HMHC 1.0, 2 (default) is HMHC 1.1. */
  readonly version?: ProtocolVersion
}

/** A house of simulated units behind a simulated adapter: the other end of the wire, with a switch for every fault. */
export class SimulatedHouse {
  readonly house: PhysicalHouse
  readonly counters: Counters = newCounters()
  readonly #agenda: Agenda
  readonly #random: SeededRandom
  readonly #adapter: Adapter
  readonly #lines: Readonly<Record<Direction, OneWayLine>>
  readonly #life: Life | null
  #connection: SimConnection | null = null
  #plugged = true

  constructor(options: SimulatedHouseOptions) {
    const { clock, seed, plan, speed = 1, people = true, duty = DUTY, faults = {}, version = 2 } = options
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
      version,
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

  /** Age of a unit's last report at the adapter, in milliseconds; negative while it travels. */
  sinceReport(address: number): number {
    return this.#agenda.now() - this.#adapter.radio.reportedAt(address)
  }

  /** Opens the line and closes an open one. @throws while the adapter is unplugged */
  connect(): SimPort {
    if (!this.#plugged) throw new Error('the adapter is unplugged')
    this.#connection?.lose()
    this.#clearLine()
    const connection = new SimConnection(
      (bytes) => this.#lines.in.push(bytes),
      () => {
        if (this.#connection === connection) this.#connection = null
      },
    )
    this.#connection = connection
    return connection
  }

  /** Sets faults of the line, one way or both; the others stay. `setFaults(NO_FAULTS)` ends all. */
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

  /** Makes a unit silent, or ends its silence. */
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

  /** Sets whether the adapter acknowledges frames; it answers them in any case. */
  acknowledge(does: boolean): void {
    this.#adapter.acknowledge(does)
  }

  /** Sets whether the radio can send. */
  radio(up: boolean): void {
    this.#adapter.setRadio(up)
  }

  /** Jams the radio: no frame arrives, and the adapter reports it. */
  jamRadio(jammed: boolean): void {
    this.#adapter.radio.jammed = jammed
    if (jammed) this.#adapter.report({ kind: 'trouble', trouble: 'jammed' })
  }

  /** Restarts the adapter, without its sessions and remembered requests. The line stays open. */
  resetAdapter(reason: BootReason = 'watchdog'): void {
    this.#clearLine()
    this.#adapter.reset(reason)
  }

  /** Unplugs the adapter, at once or after some more bytes to the host: in the middle of a frame. */
  unplug(afterBytes = 0): void {
    if (afterBytes > 0) return this.#lines.out.cutAfter(afterBytes, () => this.unplug())
    this.#plugged = false
    this.#clearLine()
    const connection = this.#connection
    this.#connection = null
    connection?.lose()
  }

  /** Plugs the adapter in again; it was without power. */
  plug(): void {
    if (this.#plugged) return
    this.#plugged = true
    this.#adapter.reset('power_on')
  }

  /** Cuts the line to the connected host; the adapter keeps its power. */
  dropLine(): void {
    this.#clearLine()
    const connection = this.#connection
    this.#connection = null
    connection?.lose()
  }

  /** Sends a number of reports at once; each repeats the state of a unit. */
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

  /** Sends a unit's join report, as when it is added to the network. */
  join(address: number): void {
    const unit = this.house.unit(address)
    if (unit !== undefined)
      this.#adapter.report({ kind: 'unit', change: 'joined', unit: this.#adapter.members.info(unit) })
  }

  /** Installs a unit at an address, replacing any there; the adapter reports the join. */
  install(plan: UnitPlan): void {
    this.house.install(plan)
    this.join(plan.address)
  }

  /** Reinstalls a removed unit; the adapter reports the join. */
  putBack(unit: Unit): void {
    this.house.putBack(unit)
    this.join(unit.address)
  }

  /** Removes a unit from the network and the adapter's list. */
  uninstall(address: number): void {
    this.house.uninstall(address)
  }

  /** Touches a key of a unit, or of one of its gangs. */
  touch(address: number, gang: number | null, key: TouchKey, how: Partial<Omit<Touch, 'key'>> = {}): void {
    this.house.touch(address, gang, key, how)
  }

  /** Motion in a room. */
  motion(room: string): void {
    this.house.motion(room)
  }

  /** True if a status LED is lit: a unit's, or one gang's. */
  led(address: number, gang: number | null = null): boolean {
    return this.house.unit(address)?.device(gang)?.led?.() ?? false
  }

  /** True while a unit, or one gang, blinks. */
  blinks(address: number, gang: number | null = null): boolean {
    return this.house.unit(address)?.blinks(gang) ?? false
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
