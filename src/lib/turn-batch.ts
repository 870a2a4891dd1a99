/** So many of one turn are done at once: for so few it would cost more to wait than it saves. */
const AT_ONCE = 2
/** So many of those that wait are done before anything else comes in. */
const TOGETHER = 16
/** No more wait, of one turn or of several: who sends more is not read while it is answered, so that nothing grows. */
const WAITING_MAX = 256

/**
 * Requests as they are read from all sockets. Where many come in one turn of the event loop they wait until the last of
 * them was read, and are done together, in the order in which they came: one look whether anything was committed serves
 * them all, made after each of them had come, and a processor that does the same for many is sooner done than one that
 * does everything for each.
 */
export class TurnBatch {
  #waiting: (() => void)[] = []
  #ofTurn = 0
  #ends = false

  /** Does what came now, or at the end of this turn. @param answer must not throw: others come behind it */
  take(answer: () => void): void {
    this.#endTurn()
    this.#ofTurn += 1
    const areMany = this.#ofTurn > WAITING_MAX || this.#waiting.length >= WAITING_MAX
    if (areMany) this.finish()
    if (areMany || (this.#ofTurn <= AT_ONCE && this.#waiting.length === 0)) answer()
    else this.#waiting.push(answer)
  }

  /** Does everything that waits now: a peer that has said its last word is answered before its connection ends. */
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
    })
  }

  #some(): void {
    for (const answer of this.#waiting.splice(0, TOGETHER)) answer()
  }
}
