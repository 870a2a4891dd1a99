import type { Clock } from '../../lib/clock.ts'
import type { DeviceClass } from '../../home/model/device.ts'
import type { BusUnit, Target } from '../../home/ports/unit-bus.ts'

/** Silences in a row after which a unit is no longer asked. */
const FAILURES_MAX = 3
/**
 * How long it is left alone; then one request tries it again. Each try in vain doubles it, so that many dead units do
 * not use up the air time.
 */
const OPEN_MS = 30_000
const OPEN_MS_MAX = 240_000

/** Refuses requests to a unit that is known not to answer, so that nobody waits for it. */
class Breaker {
  readonly #clock: Clock
  #failures = 0
  #openUntil = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The unit was silent lately, so its next request may take long. */
  get doubtful(): boolean {
    return this.#failures > 0
  }

  get open(): boolean {
    return this.openForMs > 0
  }

  /** How long the unit is still left alone. */
  get openForMs(): number {
    return Math.max(0, this.#openUntil - this.#clock.monotonic())
  }

  /** Counts one silence; true when it opens the breaker. */
  failed(): boolean {
    this.#failures += 1
    if (this.#failures < FAILURES_MAX) return false
    this.#openUntil = this.#clock.monotonic() + Math.min(OPEN_MS_MAX, OPEN_MS * 2 ** (this.#failures - FAILURES_MAX))
    return true
  }

  worked(): void {
    this.#failures = 0
    this.#openUntil = -Infinity
  }
}

/** A unit that says nothing for so long may have been out of reach: what it reported meanwhile is lost. */
const QUIET_MS = 60_000
/** What it measures a unit reports all day, minutes apart; that has its state read no more often than this. */
const MEASURED_READ_MS = 10 * 60_000

export type UnitChange = { readonly change: 'joined' | 'lost' | 'back'; readonly unit: BusUnit }

/** The units that the adapter knows, and how each of them has been answering. */
export class UnitRegistry {
  readonly #clock: Clock
  readonly #units = new Map<number, BusUnit>()
  readonly #breakers = new Map<number, Breaker>()
  /** When each unit said something last, by the monotonic clock. */
  readonly #heardAt = new Map<number, number>()
  /** When what it measured last made a unit doubtful. */
  readonly #measuredAt = new Map<number, number>()
  /** Units that were quiet and then told what they measured: their state is read once that is due. */
  readonly #owed = new Set<number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get units(): ReadonlyMap<number, BusUnit> {
    return this.#units
  }

  breaker(address: number): Breaker | undefined {
    return this.#breakers.get(address)
  }

  /** The class that a state of this target must have; undefined where there is no such device. */
  classOf({ address, gang }: Target): DeviceClass | undefined {
    const unit = this.#units.get(address)
    return gang === null ? unit?.class : unit?.gangs.find((entry) => entry.gang === gang)?.class
  }

  /** Takes one unit as the adapter describes it; answers what that changed. Another model has joined anew. */
  put(unit: BusUnit): UnitChange | null {
    const known = this.#units.get(unit.address)
    this.#units.set(unit.address, unit)
    if (known === undefined || isAnotherModel(known, unit)) {
      this.#forget(unit.address)
      this.#breakers.set(unit.address, new Breaker(this.#clock))
      return { change: 'joined', unit }
    }
    if (known.reachable === unit.reachable) return null
    return { change: unit.reachable ? 'back' : 'lost', unit }
  }

  /** Takes the whole list; units that are not on it are gone. */
  replace(units: readonly BusUnit[]): UnitChange[] {
    const listed = new Set(units.map((unit) => unit.address))
    const gone = [...this.#units.values()].filter((unit) => !listed.has(unit.address))
    for (const { address } of gone) {
      this.#units.delete(address)
      this.#forget(address)
    }
    const changes = units.map((unit) => this.put(unit)).filter((change) => change !== null)
    return [
      ...gone
        .filter((unit) => unit.reachable)
        .map((unit) => ({ change: 'lost' as const, unit: { ...unit, reachable: false } })),
      ...changes,
    ]
  }

  /**
   * Takes what the adapter reports of a unit; null where it is known. Joined again is new: it may have been set up
   * anew.
   */
  reported({ change, unit }: UnitChange): UnitChange | null {
    const reachable = change !== 'lost'
    const changed = this.put({ ...unit, reachable })
    if (reachable) this.#breakers.get(unit.address)?.worked()
    return change === 'joined' || changed !== null ? { change, unit: { ...unit, reachable } } : null
  }

  /**
   * A unit speaks: whether its state is to be read, because it may have been out of reach before. A request went
   * unanswered, or it was quiet. To read it takes air time, so what it measures is no reason each time: the read waits
   * then until one for that is due, or until the unit tells anything else.
   *
   * @param measured whether it told readings or energy.
   */
  speaks(address: number, measured: boolean): boolean {
    const now = this.#clock.monotonic()
    const wasQuiet = now - (this.#heardAt.get(address) ?? -Infinity) >= QUIET_MS
    const isOwed = this.#owed.delete(address)
    if (this.#breakers.get(address)?.doubtful === true) return true
    if (!wasQuiet && !isOwed) return false
    if (!measured) return true
    if (now - (this.#measuredAt.get(address) ?? -Infinity) < MEASURED_READ_MS) {
      this.#owed.add(address)
      return false
    }
    this.#measuredAt.set(address, now)
    return true
  }

  /** The unit answered or reported. */
  seen(address: number): UnitChange | null {
    this.#breakers.get(address)?.worked()
    this.#heardAt.set(address, this.#clock.monotonic())
    return this.#setReachable(address, true)
  }

  /** The unit did not answer, in spite of the radio's own retries. */
  silent(address: number): UnitChange | null {
    return this.#breakers.get(address)?.failed() === true ? this.#setReachable(address, false) : null
  }

  #forget(address: number): void {
    this.#breakers.delete(address)
    this.#heardAt.delete(address)
    this.#measuredAt.delete(address)
    this.#owed.delete(address)
  }

  #setReachable(address: number, reachable: boolean): UnitChange | null {
    const unit = this.#units.get(address)
    return unit === undefined || unit.reachable === reachable ? null : this.put({ ...unit, reachable })
  }
}

function isAnotherModel(known: BusUnit, unit: BusUnit): boolean {
  const gangs = (of: BusUnit): string => JSON.stringify(of.gangs.map((gang) => [gang.gang, gang.class]))
  return known.model !== unit.model || known.class !== unit.class || gangs(known) !== gangs(unit)
}
