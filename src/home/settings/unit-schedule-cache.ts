import type { UnitSchedule } from '../model/register.ts'
import type { UnitScheduleStore } from '../ports/settings-store.ts'

export interface CachedSchedules {
  readonly schedules: readonly UnitSchedule[]
  /** Epoch ms at which they were read. */
  readonly asOf: number
}

/** The units' own schedules as last read (Spec 4 rule 8): shown and explained from here, never written. */
export class UnitScheduleCache {
  readonly #store: UnitScheduleStore
  readonly #onStoreError: (error: unknown) => void
  readonly #units = new Map<string, CachedSchedules>()

  /** @param onStoreError gets the error of a write that failed; memory goes on without it. */
  constructor(store: UnitScheduleStore, onStoreError: (error: unknown) => void) {
    this.#store = store
    this.#onStoreError = onStoreError
    for (const { unit, schedules, asOf } of store.load()) this.#units.set(unit, { schedules, asOf })
  }

  /** All schedules of a unit, or undefined until they were read once. */
  get(unit: string): CachedSchedules | undefined {
    return this.#units.get(unit)
  }

  /** Those that concern one gang, or with null the unit as a whole and all of its gangs. */
  of(unit: string, gang: number | null): CachedSchedules | undefined {
    const cached = this.#units.get(unit)
    if (cached === undefined || gang === null) return cached
    return {
      ...cached,
      schedules: cached.schedules.filter((schedule) => schedule.gang === gang || schedule.gang === null),
    }
  }

  confirm(unit: string, schedules: readonly UnitSchedule[], asOf: number): void {
    this.#keep(() => this.#store.save(unit, schedules, asOf))
    this.#units.set(unit, { schedules, asOf })
  }

  /** Forgets units that the house no longer has. */
  keepOnly(has: (unit: string) => boolean): void {
    for (const unit of this.#units.keys()) {
      if (has(unit)) continue
      this.#units.delete(unit)
      this.#keep(() => this.#store.forget(unit))
    }
  }

  #keep(store: () => void): void {
    try {
      store()
    } catch (error) {
      this.#onStoreError(error)
    }
  }
}
