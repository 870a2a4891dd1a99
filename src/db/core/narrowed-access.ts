import * as z from 'zod'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { nullIfDiskFails } from '../../lib/storage-failure.ts'
import type { Db } from '../database.ts'
import { readCompanion, writeCompanion } from './companion-file.ts'
import { lastNumberOf } from './numbers.ts'

/** Keys for all integrations (the place of a thing decides who sees it), and for all administrators' passwords. */
export const HOUSE = 'house'
export const PASSWORDS = 'passwords'
/** Number of separately noted ids; more are noted as all. */
export const NARROWED_MAX = 1_000

const shape = z.record(z.string(), z.int().min(0))

/**
 * For each integration, the number of the last change that may have narrowed its access; for each person, of the last
 * password change. The file lies next to the configuration, because an older configuration lacks such changes. It
 * reaches the disk before the change does.
 */
export class NarrowedAccess {
  readonly #file: string | null
  #numbers: Readonly<Record<string, number>> | null

  /** @param file null for memory only */
  constructor(file: string | null) {
    this.#file = file
    this.#numbers = file === null ? {} : nullIfDiskFails(() => readCompanion(file, shape))
  }

  /** Creates the file for a sound configuration without one; the gaps of its copies are unknown. */
  known(db: Db): void {
    if (this.#numbers !== null) return
    try {
      this.note([HOUSE, PASSWORDS], lastNumberOf(db, 'activity_outbox'))
    } catch (error) {
      // The next start tries again.
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }

  /** Call inside the change with this number, before the commit. @throws StorageUnavailable */
  note(ids: readonly string[], number: number): void {
    const all = { ...this.#numbers, ...Object.fromEntries(ids.map((id) => [id, number])) }
    const numbers = Object.keys(all).length > NARROWED_MAX ? { [HOUSE]: number, [PASSWORDS]: number } : all
    if (this.#file !== null) writeCompanion(this.#file, numbers)
    this.#numbers = numbers
  }

  /** Integrations or persons that changed after the change `number`; all if the file is lost. */
  since(number: number, ids: readonly string[], all: typeof HOUSE | typeof PASSWORDS): readonly string[] {
    const numbers = this.#numbers
    if (numbers === null) return ids
    const isLater = (id: string): boolean => (numbers[id] ?? 0) > number
    return isLater(all) ? ids : ids.filter(isLater)
  }

  /** The highest noted number; later changes must have higher ones. */
  get last(): number {
    return Math.max(0, ...Object.values(this.#numbers ?? {}))
  }
}
