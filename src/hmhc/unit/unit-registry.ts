import type { Clock } from '../../lib/clock.ts'
import type { DeviceClass } from '../../home/model/device.ts'
import type { BusUnit, UnitTarget } from '../../home/ports/unit-bus.ts'

/** Number of consecutive silences after which a unit gets no requests. */
const FAILURES_MAX = 3
/**
 * Pause before one request tries the unit again. Each failure doubles it, so that many dead units do not use up the air
 * time.
 */
const OPEN_MS = 30_000
const OPEN_MS_MAX = 240_000

/** Refuses requests to a unit that is known not to answer, so that callers do not wait for it. */
class Breaker {
  readonly #clock: Clock
  #failures = 0
  #openUntil = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The unit was silent recently, so its next request may take long. */
  get doubtful(): boolean {
    return this.#failures > 0
  }

  get open(): boolean {
    return this.openForMs > 0
  }

  /** Remaining pause of the unit. */
  get openForMs(): number {
    return Math.max(0, this.#openUntil - this.#clock.monotonic())
  }

  /** Counts one silence; true if it opens the breaker. */
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

/** A unit without any message for this long may have been out of reach, with lost reports. */
const QUIET_MS = 60_000
/** Units report measurements all day, minutes apart; these trigger a read of the state at most at this interval. */
const MEASURED_READ_MS = 10 * 60_000

export type UnitChange = { readonly change: 'joined' | 'lost' | 'back'; readonly unit: BusUnit }

/** The units of the adapter, and their recent responses. */
export class UnitRegistry {
  readonly #clock: Clock
  readonly #units = new Map<number, BusUnit>()
  readonly #breakers = new Map<number, Breaker>()
  /** Time of each unit's last message, by the monotonic clock. */
  readonly #heardAt = new Map<number, number>()
  /** Time of the last doubt after a measurement. */
  readonly #measuredAt = new Map<number, number>()
  /** Units that measured after a quiet time: their state is read once that is due. */
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

  /** The required class of this target's state; undefined for an unknown device. */
  classOf({ address, gang }: UnitTarget): DeviceClass | undefined {
    const unit = this.#units.get(address)
    return gang === null ? unit?.class : unit?.gangs.find((entry) => entry.gang === gang)?.class
  }

  /** Adds or updates one unit as described by the adapter; returns the change. Another model counts as newly joined. */
  put(unit: BusUnit): UnitChange | null {
    const known = this.#units.get(unit.address)
    this.#units.set(unit.address, withCapabilities(unit, known))
    if (known === undefined || isAnotherModel(known, unit)) {
      this.#forget(unit.address)
      this.#breakers.set(unit.address, new Breaker(this.#clock))
      return { change: 'joined', unit }
    }
    if (known.reachable === unit.reachable) return null
    return { change: unit.reachable ? 'back' : 'lost', unit }
  }

  /** Replaces the whole list; missing units are removed. */
  replace(units: readonly BusUnit[]): UnitChange[] {
    const listed = new Set(units.map((unit) => unit.address))
    const missing = [...this.#units.values()].filter((unit) => !listed.has(unit.address))
    for (const { address } of missing) {
      this.#units.delete(address)
      this.#forget(address)
    }
    const changes = units.map((unit) => this.put(unit)).filter((change) => change !== null)
    return [
      ...missing
        .filter((unit) => unit.reachable)
        .map((unit) => ({ change: 'lost' as const, unit: { ...unit, reachable: false } })),
      ...changes,
    ]
  }

  /**
   * Applies the adapter's report about a unit; null if nothing changed. A repeated join counts, because the unit may
   * have new settings.
   */
  reported({ change, unit }: UnitChange): UnitChange | null {
    const reachable = change !== 'lost'
    const changed = this.put({ ...unit, reachable })
    if (reachable) this.#breakers.get(unit.address)?.worked()
    return change === 'joined' || changed !== null ? { change, unit: { ...unit, reachable } } : null
  }

  /**
   * A unit sent a message. Returns true if its state must be read, because it may have been out of reach: a request
   * went unanswered, or it was quiet. A read costs air time, so not every measurement triggers one: it waits until such
   * a read is due, or until the unit sends another message. @param measured true for readings or energy
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

  /** The unit did not answer, despite the radio's own retries. */
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

/** The unit with its known capabilities, which a report about it does not repeat. */
function withCapabilities(unit: BusUnit, known: BusUnit | undefined): BusUnit {
  const capabilities = unit.capabilities ?? (known && !isAnotherModel(known, unit) ? known.capabilities : undefined)
  return capabilities === undefined ? unit : { ...unit, capabilities }
}
