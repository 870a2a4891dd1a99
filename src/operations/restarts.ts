interface RestartsParts {
  /** Closes the running gateway and opens it again. */
  readonly reopen: () => Promise<void>
  /** True if a decision needs a start to complete. */
  readonly isWanted: () => boolean
}

/**
 * Restarts inside one process, one at a time: simultaneous requests of the disk and a restore cause one restart.
 * Requests of an earlier opening count only if a start still has to complete something.
 */
export class Restarts {
  readonly #parts: RestartsParts
  /** Number of openings. */
  #opening = 0
  #underWay = false
  #ended = false

  constructor(parts: RestartsParts) {
    this.#parts = parts
  }

  /** Returns the function that requests a restart for one opening; a second call has no effect. */
  ofOpening(): () => void {
    this.#opening += 1
    const opening = this.#opening
    return () => void this.#ask(opening)
  }

  /** Ends all restarts, because the process ends. */
  end(): void {
    this.#ended = true
  }

  async #ask(opening: number): Promise<void> {
    if (this.#underWay || this.#ended) return
    if (opening !== this.#opening && !this.#parts.isWanted()) return
    this.#underWay = true
    try {
      do await this.#parts.reopen()
      while (this.#parts.isWanted() && !this.#ended)
    } finally {
      this.#underWay = false
    }
  }
}
