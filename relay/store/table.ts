import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { type Store, StoreUnavailable, type TableName } from './store.ts'

/** Attempts to change an entry that others change at the same time. */
export const CHANGE_TRIES_MAX = 16

/** Key of an entry whose real key must stay secret, like a code, a cookie or an e-mail address. */
export function hashedId(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** A table whose values are validated when they are read. */
export class Table<T> {
  readonly #store: Store
  readonly #name: TableName
  readonly #schema: z.ZodType<T>

  constructor(store: Store, name: TableName, schema: z.ZodType<T>) {
    this.#store = store
    this.#name = name
    this.#schema = schema
  }

  /** Returns null also for an entry of another type. */
  async row(id: string): Promise<{ readonly value: T; readonly revision: number } | null> {
    const entry = await this.#store.get(this.#name, id)
    if (entry === null) return null
    const { success, data } = this.#schema.safeParse(entry.value)
    return success ? { value: data, revision: entry.revision } : null
  }

  async get(id: string): Promise<T | null> {
    return (await this.row(id))?.value ?? null
  }

  /** Returns false if the entry exists. */
  async create(id: string, value: T): Promise<boolean> {
    return (await this.#store.create(this.#name, id, value)) !== null
  }

  /** Creates or replaces an entry. */
  async put(id: string, value: T): Promise<void> {
    for (let tries = 0; tries < CHANGE_TRIES_MAX; tries += 1) {
      const entry = await this.#store.get(this.#name, id)
      const done =
        entry === null
          ? await this.#store.create(this.#name, id, value)
          : await this.#store.replace(this.#name, id, value, entry.revision)
      if (done !== null) return
    }
    throw new StoreUnavailable('Too many writers change the same entry.')
  }

  /**
   * Replaces the value by the result of `change`, which is called again after a concurrent change. Returns the new
   * value; null if there is no entry or `change` returns null, which leaves the entry as it is.
   */
  async change(id: string, change: (value: T) => T | null): Promise<T | null> {
    for (let tries = 0; tries < CHANGE_TRIES_MAX; tries += 1) {
      const row = await this.row(id)
      const next = row === null ? null : change(row.value)
      if (row === null || next === null) return null
      if ((await this.#store.replace(this.#name, id, next, row.revision)) !== null) return next
    }
    throw new StoreUnavailable('Too many writers change the same entry.')
  }

  /** Reads and deletes an entry. Only one of several concurrent callers gets the value. */
  async take(id: string): Promise<T | null> {
    const row = await this.row(id)
    if (row === null) return null
    return (await this.#store.delete(this.#name, id, row.revision)) ? row.value : null
  }

  async delete(id: string): Promise<boolean> {
    return this.#store.delete(this.#name, id)
  }
}
