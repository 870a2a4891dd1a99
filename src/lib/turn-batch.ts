/** Number of requests of one turn handled at once: for so few, waiting would cost more than it saves. */
const AT_ONCE = 2
/** Number of pending requests handled before other events. */
const TOGETHER = 16
/**
 * Number of pending requests, of one or more turns. Sockets with more are not read meanwhile, so that nothing grows.
 */
const WAITING_MAX = 256

/**
 * Requests as read from all sockets. If many arrive in one event loop turn, they wait until the last is read, and are
 * then handled together in order. One check for commits, made after all have arrived, serves them all, and batching is
 * faster for the processor than switching tasks.
 */
export class TurnBatch {
  #waiting: (() => void)[] = []
  #ofTurn = 0
  #ends = false
  #turn = 0

  /** Grows at the end of every turn with requests. Read it while one of them is handled. */
  get turn(): number {
    return this.#turn
  }

  /** Handles a request now, or at the end of this turn. @param answer must not throw: others follow */
  schedule(answer: () => void): void {
    this.#endTurn()
    this.#ofTurn += 1
    const areMany = this.#ofTurn > WAITING_MAX || this.#waiting.length >= WAITING_MAX
    if (areMany) this.finish()
    if (areMany || (this.#ofTurn <= AT_ONCE && this.#waiting.length === 0)) answer()
    else this.#waiting.push(answer)
  }

  /** Handles all pending requests now: a half-closed peer gets its responses before its connection ends. */
  finish(): void {
    while (this.#waiting.length > 0) this.#some()
  }

  #endTurn(): void {
    if (this.#ends) return
    this.#ends = true
    setImmediate(() => {
      this.#ends = false
      this.#ofTurn = 0
      if (this.#waiting.length > TOGETHER) this.#endTurn()
      this.#some()
      // Requests handled here are of this turn, and bodies that come next are not.
      this.#turn += 1
    })
  }

  #some(): void {
    for (const answer of this.#waiting.splice(0, TOGETHER)) answer()
  }
}
