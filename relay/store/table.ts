import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { type Store, StoreUnavailable, type TableName } from './store.ts'

/** More writers than this at one entry at once are refused. */
export const CHANGE_TRIES_MAX = 16

/** The key of what itself must not be read in the store: codes, cookies, e-mail addresses. */
export function hashedId(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** One table with values of one type, which are checked when they are read. */
export class Table<T> {
  readonly #store: Store
  readonly #name: TableName
  readonly #schema: z.ZodType<T>

  constructor(store: Store, name: TableName, schema: z.ZodType<T>) {
    this.#store = store
    this.#name = name
    this.#schema = schema
  }

  /** An entry that does not fit the type is as good as none: something else wrote it. */
  async row(id: string): Promise<{ readonly value: T; readonly revision: number } | null> {
    const entry = await this.#store.get(this.#name, id)
    if (entry === null) return null
    const { success, data } = this.#schema.safeParse(entry.value)
    return success ? { value: data, revision: entry.revision } : null
  }

  async get(id: string): Promise<T | null> {
    return (await this.row(id))?.value ?? null
  }

  /** Whether it was made; false where there is an entry already. */
  async create(id: string, value: T): Promise<boolean> {
    return (await this.#store.create(this.#name, id, value)) !== null
  }

  /** Makes or overwrites, whatever there is. */
  async put(id: string, value: T): Promise<void> {
    for (let tries = 0; tries < CHANGE_TRIES_MAX; tries += 1) {
      const entry = await this.#store.get(this.#name, id)
      const done =
        entry === null
          ? await this.#store.create(this.#name, id, value)
          : await this.#store.replace(this.#name, id, value, entry.revision)
      if (done !== null) return
    }
    throw new StoreUnavailable('Too many changes of one entry at once.')
  }

  /**
   * Puts in place what `change` makes of what is there; asks it again where another was faster. Null of `change`
   * leaves all as it is, and is answered where there is no entry too.
   */
  async change(id: string, change: (value: T) => T | null): Promise<T | null> {
    for (let tries = 0; tries < CHANGE_TRIES_MAX; tries += 1) {
      const row = await this.row(id)
      const next = row === null ? null : change(row.value)
      if (row === null || next === null) return null
      if ((await this.#store.replace(this.#name, id, next, row.revision)) !== null) return next
    }
    throw new StoreUnavailable('Too many changes of one entry at once.')
  }

  /** The value, for exactly one of those that ask; it is gone then. */
  async take(id: string): Promise<T | null> {
    const row = await this.row(id)
    if (row === null) return null
    return (await this.#store.delete(this.#name, id, row.revision)) ? row.value : null
  }

  async delete(id: string): Promise<boolean> {
    return this.#store.delete(this.#name, id)
  }
}
