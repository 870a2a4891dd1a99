/** Puts what was written on the disk, for all who wait at once: who comes while one sync runs waits for the next. */
export class GroupSync {
  readonly #sync: () => Promise<void>
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** Resolves when everything written before the call is on the disk; rejects as the sync does. */
  done(): Promise<void> {
    this.#next ??= this.#run(this.#running)
    return this.#next
  }

  async #run(before: Promise<void> | null): Promise<void> {
    // Its failure is theirs who wait for it.
    await before?.catch(() => {})
    this.#running = this.#next
    this.#next = null
    await this.#sync()
  }
}
