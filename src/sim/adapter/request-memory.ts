const REMEMBERED_MAX = 64
const REMEMBERED_MS = 30_000

interface Remembered {
  /** The reply's payload, or null while the request is worked on. */
  reply: Buffer | null
  /** The session that asked last: the one that gets the reply. */
  session: number
  at: number
}

/** The request ids that must not be executed again (docs/hmhc.md, 2). */
export class RequestMemory {
  readonly #requests = new Map<number, Remembered>()

  /** What is known of a request: null when it is new. */
  recall(request: number, session: number, now: number): Remembered | null {
    const known = this.#requests.get(request)
    if (known === undefined) return null
    if (known.reply !== null && now - known.at > REMEMBERED_MS) {
      this.#requests.delete(request)
      return null
    }
    known.session = session
    return known
  }

  begin(request: number, session: number, now: number): Remembered {
    const remembered: Remembered = { reply: null, session, at: now }
    this.#requests.set(request, remembered)
    for (const [oldest, { reply }] of this.#requests) {
      if (this.#requests.size <= REMEMBERED_MAX) break
      if (reply !== null) this.#requests.delete(oldest)
    }
    return remembered
  }

  clear(): void {
    this.#requests.clear()
  }
}
