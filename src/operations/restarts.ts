interface RestartsParts {
  /** Closes what runs and opens it again. */
  readonly reopen: () => Promise<void>
  /** Whether something was decided that only a start finishes. */
  readonly isWanted: () => boolean
}

/**
 * Starts anew inside one process, one start at a time: what the disk and a restore ask for together is one start. Of an
 * opening that is over only what a start has yet to finish is still a reason.
 */
export class Restarts {
  readonly #parts: RestartsParts
  /** Counts the openings. */
  #opening = 0
  #underWay = false
  #ended = false

  constructor(parts: RestartsParts) {
    this.#parts = parts
  }

  /** What asks for a start anew, for one opening; asked a second time it does nothing. */
  ofOpening(): () => void {
    this.#opening += 1
    const opening = this.#opening
    return () => void this.#ask(opening)
  }

  /** The process ends: nothing starts any more. */
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
