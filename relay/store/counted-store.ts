import { type Entry, type Store, StoreUnavailable, type TableName } from './store.ts'

/** A store that says each time it was unavailable. */
export class CountedStore implements Store {
  readonly #store: Store
  readonly #unavailable: () => void

  constructor(store: Store, unavailable: () => void) {
    this.#store = store
    this.#unavailable = unavailable
  }

  get(table: TableName, id: string): Promise<Entry | null> {
    return this.#counted(() => this.#store.get(table, id))
  }

  create(table: TableName, id: string, value: unknown): Promise<number | null> {
    return this.#counted(() => this.#store.create(table, id, value))
  }

  replace(table: TableName, id: string, value: unknown, revision: number): Promise<number | null> {
    return this.#counted(() => this.#store.replace(table, id, value, revision))
  }

  delete(table: TableName, id: string, revision?: number): Promise<boolean> {
    return this.#counted(() => this.#store.delete(table, id, revision))
  }

  erase(): Promise<void> {
    return this.#counted(() => this.#store.erase())
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#unavailable()
      throw error
    }
  }
}
