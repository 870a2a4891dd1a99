import * as z from 'zod'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { unlessDiskFails } from '../../lib/storage-failure.ts'
import type { Db } from '../database.ts'
import { readCompanion, writeCompanion } from './companion-file.ts'
import { lastOf } from './numbers.ts'

/** Keys that stand for all integrations (where a thing is decides who sees it), and for all persons' passwords. */
export const HOUSE = 'house'
export const PASSWORDS = 'passwords'
/** Ids noted one by one; beyond that all are noted together. */
export const NARROWED_MAX = 1_000

const shape = z.record(z.string(), z.int().min(0))

/**
 * The number of the last change that may have narrowed the access of each integration, or replaced the password of each
 * person, in a file of its own beside the configuration. An older configuration lacks such a change. The file is on the
 * disk before the change is.
 */
export class NarrowedAccess {
  readonly #file: string | null
  #numbers: Readonly<Record<string, number>> | null

  /** @param file null where nothing outlives the process */
  constructor(file: string | null) {
    this.#file = file
    this.#numbers = file === null ? {} : unlessDiskFails(() => readCompanion(file, shape))
  }

  /** Begins the file for a sound configuration that has none; nobody knows what its copies lack. */
  known(db: Db): void {
    if (this.#numbers !== null) return
    try {
      this.note([HOUSE, PASSWORDS], lastOf(db, 'activity_outbox'))
    } catch (error) {
      // The next start tries again.
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }

  /** Called inside the change with this number, before it is committed. @throws StorageUnavailable */
  note(ids: readonly string[], number: number): void {
    const all = { ...this.#numbers, ...Object.fromEntries(ids.map((id) => [id, number])) }
    const numbers = Object.keys(all).length > NARROWED_MAX ? { [HOUSE]: number, [PASSWORDS]: number } : all
    if (this.#file !== null) writeCompanion(this.#file, numbers)
    this.#numbers = numbers
  }

  /** Those of the integrations or persons that changed after the change `number`: all where the file is lost. */
  since(number: number, ids: readonly string[], all: typeof HOUSE | typeof PASSWORDS): readonly string[] {
    const numbers = this.#numbers
    if (numbers === null) return ids
    const isLater = (id: string): boolean => (numbers[id] ?? 0) > number
    return isLater(all) ? ids : ids.filter(isLater)
  }

  /** The highest number noted; later changes must have higher ones. */
  get last(): number {
    return Math.max(0, ...Object.values(this.#numbers ?? {}))
  }
}
