/** More than this many writers that wait for one unit are turned away. */
export const WRITERS_PER_UNIT_MAX = 16

/** Lets those who want something of one unit go one after the other; units do not wait for each other. */
export class UnitLanes {
  readonly #lanes = new Map<string, { last: Promise<unknown>; length: number }>()

  /** Runs `task` when everything before it on this unit is over; null, at once, where too many wait already. */
  run<T>(unit: string, task: () => Promise<T>): Promise<T> | null {
    const lane = this.#lanes.get(unit) ?? { last: Promise.resolve(), length: 0 }
    if (lane.length >= WRITERS_PER_UNIT_MAX) return null
    const turn = lane.last.then(task)
    lane.length += 1
    lane.last = this.#over(unit, turn)
    this.#lanes.set(unit, lane)
    return turn
  }

  async #over(unit: string, turn: Promise<unknown>): Promise<void> {
    try {
      await turn
    } catch {
      // Whoever asked for the turn hears of its failure; the next in the lane has nothing to do with it.
    }
    const lane = this.#lanes.get(unit)
    if (lane === undefined) return
    lane.length -= 1
    if (lane.length === 0) this.#lanes.delete(unit)
  }
}
