/** Syncs for all waiting callers at once; callers during a sync share the next one. */
export class GroupSync {
  readonly #sync: () => Promise<void>
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** Resolves when everything written before the call is on the disk; rejects with the sync's error. */
  done(): Promise<void> {
    this.#next ??= this.#run(this.#running)
    return this.#next
  }

  async #run(before: Promise<void> | null): Promise<void> {
    // Its own callers handle its failure.
    await before?.catch(() => {})
    this.#running = this.#next
    this.#next = null
    await this.#sync()
  }
}
