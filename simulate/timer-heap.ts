/** What becomes of a timer while the home rests: it is moved on, it runs late, or the rest ends with it. */
export type Reach = 'moved' | 'late' | 'ends'

export interface Timer {
  due: number
  readonly order: number
  readonly reach: Reach
  run: () => void
  /** Whether it still waits. */
  waits: boolean
}

const before = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order)

/** Timers by the time they are due; those of the same time in the order in which they were set. */
export class TimerHeap {
  #order = 0
  /** Few wait at a time: a sorted list is as fast as a tree. */
  readonly #sorted: Timer[] = []

  get size(): number {
    return this.#sorted.length
  }

  add(due: number, reach: Reach, run: () => void): Timer {
    const timer: Timer = { due, order: this.#order++, reach, run, waits: true }
    this.#place(timer)
    return timer
  }

  /** False where it has run, or was cancelled before. */
  cancel(timer: Timer): boolean {
    if (!timer.waits) return false
    timer.waits = false
    this.#sorted.splice(this.#sorted.indexOf(timer), 1)
    return true
  }

  first(): Timer | undefined {
    return this.#sorted[0]
  }

  takeFirst(): void {
    const timer = this.#sorted.shift()
    if (timer !== undefined) timer.waits = false
  }

  /** When the first one is due that ends a rest; Infinity where there is none. */
  endOfRest(): number {
    return this.#sorted.find((each) => each.reach === 'ends')?.due ?? Infinity
  }

  /** Moves on those that are moved. */
  moveOn(ms: number): void {
    for (const timer of this.#sorted) if (timer.reach === 'moved') timer.due += ms
    this.#sorted.sort((a, b) => a.due - b.due || a.order - b.order)
  }

  #place(timer: Timer): void {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      const there = this.#sorted[middle]
      if (there !== undefined && before(there, timer)) low = middle + 1
      else high = middle
    }
    this.#sorted.splice(low, 0, timer)
  }
}
