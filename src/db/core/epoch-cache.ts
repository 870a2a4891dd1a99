import type { CoreDb } from './core-db.ts'

/**
 * What was read from core.db, read again as soon as anything was committed, by this process or another (Spec 1 point
 * 3).
 */
export class EpochCache<T extends object> {
  readonly #core: Pick<CoreDb, 'epoch'>
  readonly #read: (before: T | null) => T
  #epoch: number | null = null
  #value: T | null = null

  /** `read` gets what it read the time before, or null. */
  constructor(core: Pick<CoreDb, 'epoch'>, read: (before: T | null) => T) {
    this.#core = core
    this.#read = read
  }

  get(): T {
    const epoch = this.#core.epoch()
    if (this.#value !== null && epoch === this.#epoch) return this.#value
    const value = this.#read(this.#value)
    this.#value = value
    this.#epoch = epoch
    return value
  }
}
