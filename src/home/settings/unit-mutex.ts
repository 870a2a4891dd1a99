/** More than this many writers that wait for one unit are turned away. */
export const WRITERS_PER_UNIT_MAX = 16

/** Lets the tasks of one unit run one after the other; units do not wait for each other. */
export class UnitMutex {
  readonly #queues = new Map<string, { last: Promise<unknown>; length: number }>()

  /** Runs `task` when everything before it on this unit is over; null, at once, where too many wait already. */
  run<T>(unit: string, task: () => Promise<T>): Promise<T> | null {
    const queue = this.#queues.get(unit) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= WRITERS_PER_UNIT_MAX) return null
    const turn = queue.last.then(task)
    queue.length += 1
    queue.last = this.#over(unit, turn)
    this.#queues.set(unit, queue)
    return turn
  }

  async #over(unit: string, turn: Promise<unknown>): Promise<void> {
    try {
      await turn
    } catch {
      // The caller of `run` gets the failure; the next task begins all the same.
    }
    const queue = this.#queues.get(unit)
    if (queue === undefined) return
    queue.length -= 1
    if (queue.length === 0) this.#queues.delete(unit)
  }
}
