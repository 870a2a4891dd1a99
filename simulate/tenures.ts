import type { PhysicalUnit, PhysicalUnits } from './physical-units.ts'
import type { Facts, UnitFact } from './truth.ts'

/** A time in which an id of the house names one physical unit. */
export interface Tenure {
  readonly id: string
  readonly fact: UnitFact
  /** Null while no unit is at the address. */
  readonly physical: PhysicalUnit | null
  /** Monotonic milliseconds. */
  readonly from: number
  /** The same by the wall clock, epoch ms. */
  readonly fromWall: number
  until: number
  /** Address, class, gangs and listed model of the unit, as text. */
  readonly identity: string
  /** Why the gateway can tell it from the tenure before: `edit` of the house, another `unit`; null where it cannot. */
  readonly begunBy: 'edit' | 'unit' | null
  /** Counts up over all tenures. */
  readonly order: number
}

interface Now {
  /** Monotonic milliseconds. */
  readonly now: number
  /** Epoch ms. */
  readonly wall: number
}

/** Which physical unit each id of the house names, and since when, from the stored tables and the physical house. */
export class Tenures {
  readonly #physical: PhysicalUnits
  readonly #byId = new Map<string, Tenure[]>()
  #order = 0

  constructor(physical: PhysicalUnits) {
    this.#physical = physical
  }

  /** The order of the newest tenure. */
  get order(): number {
    return this.#order
  }

  /** The tenures of an id, the newest first. */
  of(id: string): readonly Tenure[] {
    return this.#byId.get(id) ?? []
  }

  ids(): readonly string[] {
    return [...this.#byId.keys()]
  }

  /** The tenure that holds now; undefined where the house has no such unit. */
  current(id: string): Tenure | undefined {
    const [newest] = this.of(id)
    return newest?.until === Infinity ? newest : undefined
  }

  /** Compares the house and the physical units with what they were. */
  look({ units }: Facts, { now, wall }: Now): void {
    for (const [id, [newest]] of this.#byId)
      if (newest !== undefined && newest.until === Infinity && !units.has(id)) newest.until = now
    for (const fact of units.values()) this.#lookAt(fact, now, wall)
  }

  #lookAt(fact: UnitFact, now: number, wall: number): void {
    const tenures = this.#byId.get(fact.id) ?? []
    const [before] = tenures
    const physical = this.#physical.at(fact.address) ?? null
    const edited = `${fact.address} ${fact.class} ${[...fact.gangs].join(';')}`
    const [editedBefore, listedBefore] = before?.identity.split(' | ') ?? []
    const sameAddress = before?.fact.address === fact.address
    // The adapter's word of an address holds until it says something else.
    const listing = physical?.listing ?? (sameAddress ? listedBefore : undefined) ?? ''
    const identity = `${edited} | ${listing}`
    if (before?.until === Infinity && before.physical === physical && before.identity === identity) return
    if (before?.until === Infinity) before.until = now
    const isAnother = listing !== listedBefore && listing !== '' && (listedBefore ?? '') !== ''
    const begunBy = before === undefined ? null : edited !== editedBefore ? 'edit' : isAnother ? 'unit' : null
    const order = ++this.#order
    tenures.unshift({
      id: fact.id,
      fact,
      physical,
      identity,
      begunBy,
      order,
      from: now,
      fromWall: wall,
      until: Infinity,
    })
    this.#byId.set(fact.id, tenures)
  }
}
